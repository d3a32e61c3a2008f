/** Pictures that the person shows. */
export const showing = {
  flip: 'Turn to the other camera',
  still: 'Take a picture and show it',
  /** A line of the script. */
  shown: 'You showed a picture.',
  /** Beside what was asked about it. */
  withPicture: 'with a picture',
  remove: 'Remove the picture',
  thumbnail: 'The picture that goes with your message',
  about: 'What do you see in this picture?',
  ask: 'Ask about the picture',
  drop: 'Drop the picture to ask about it',
  taken: 'AURA has the picture. Ask about it.',
  blind: 'Nothing here looks at pictures',
  blindAdvice: 'This installation hears and speaks, and cannot see.',
  unreadable: 'That is no picture that can be read',
  unreadableAdvice: 'Use a JPEG, PNG or WebP.',
  notShown: 'The picture was not shown',
  notShownAdvice: 'Try again in a moment.',
};

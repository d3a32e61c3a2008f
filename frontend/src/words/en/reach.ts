/** The page on another device. */
export const reach = {
  usePhone: 'Use it on your phone',
  title: 'On your phone',
  scan: 'Point the phone’s camera at this picture, or type the address:',
  code: (address: string) => `QR code of ${address}`,
  typingOnly: 'At this address a phone can only type: browsers give microphones to https:// addresses only.',
  trustFirst: (address: string) => `There the phone learns to trust this server, once. Afterwards open ${address}`,
  close: 'Close',
};

/**
 * Whether a person can only type here: browsers give microphones, cameras and screens to pages of https:// addresses and
 * of the machine itself alone. Sound is heard at every address.
 */
export function typingOnly(): boolean {
  return !window.isSecureContext;
}

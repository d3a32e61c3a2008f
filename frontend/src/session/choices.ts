/** What the person chose on the start screen. */
export interface Choices {
  readonly microphone: boolean;
  readonly camera: boolean;
  readonly microphoneId: string | null;
  readonly cameraId: string | null;
}

/** Where the call shall take place; null lets the server choose. */
export interface Place {
  readonly room: string | null;
  readonly identity: string | null;
}

/** Shown between the press of the button and the call. */
export function JoiningCard({ cancel }: { cancel: () => void }) {
  return (
    <div className="card" role="status">
      <div className="wave" aria-hidden="true" />
      <p className="card-title">Joining the call</p>
      <p>If the browser asks for the microphone, allow it.</p>
      <button type="button" className="secondary" onClick={cancel}>
        Cancel
      </button>
    </div>
  );
}

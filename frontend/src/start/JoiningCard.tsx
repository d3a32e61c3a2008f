/** Shown between the press of the button and the call. */
import { words } from '../words/words';
export function JoiningCard({ cancel }: { cancel: () => void }) {
  return (
    <div className="card" role="status">
      <div className="wave" aria-hidden="true" />
      <p className="card-title" data-arrival="">
        {words.door.joining}
      </p>
      <p>{words.door.allowMicrophone}</p>
      <button type="button" className="secondary" onClick={cancel}>
        {words.door.cancel}
      </button>
    </div>
  );
}

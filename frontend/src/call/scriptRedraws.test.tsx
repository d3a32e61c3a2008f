/** At each token of an answer its own line is drawn, and none of the others. */
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import { type ConversationState, EMPTY, reduce } from '../conversation/conversation';
import { Script } from './Script';

const drawn: string[] = [];

vi.mock('./Said', () => ({
  Said: ({ text }: { text: string }) => {
    drawn.push(text);
    return text;
  },
}));

/** As much of a document as React needs to draw into. */
class FakeNode {
  readonly nodeType: number = 1;
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml';
  readonly style = {};
  childNodes: FakeNode[] = [];
  textContent = '';
  nodeValue = '';
  constructor(readonly nodeName: string) {}
  get tagName() {
    return this.nodeName;
  }
  get ownerDocument() {
    return document;
  }
  get firstChild() {
    return this.childNodes[0] ?? null;
  }
  appendChild(child: FakeNode) {
    this.childNodes.push(child);
    return child;
  }
  insertBefore(child: FakeNode) {
    return this.appendChild(child);
  }
  removeChild(child: FakeNode) {
    this.childNodes = this.childNodes.filter((each) => each !== child);
  }
  setAttribute() {}
  removeAttribute() {}
  addEventListener() {}
}

class FakeText extends FakeNode {
  override readonly nodeType = 3;
}

const page = Object.assign(new FakeNode('#document'), {
  createElement: (name: string) => new FakeNode(name.toUpperCase()),
  createTextNode: () => new FakeText('#text'),
  activeElement: null,
});
vi.stubGlobal('document', page);
vi.stubGlobal('window', { document: page, addEventListener: () => {}, HTMLIFrameElement: class {} });

const said = (state: ConversationState, key: string, text: string, final: boolean) =>
  reduce(state, { type: 'text', key, side: 'agent', text, final, nowMs: 0 });

it('draws the line that has changed alone', () => {
  const root = createRoot(new FakeNode('DIV') as unknown as Element);
  const draw = ({ lines }: ConversationState) => flushSync(() => root.render(<Script lines={lines} />));
  let state: ConversationState = EMPTY;
  for (let at = 0; at < 200; at++) state = said(state, `${at}`, `Line ${at}.`, true);
  draw(state);
  expect(drawn).toHaveLength(200);
  drawn.length = 0;
  for (const text of ['The', 'The capital', 'The capital is']) {
    state = said(state, 'answer', text, false);
    draw(state);
  }
  expect(drawn).toEqual(['The', 'The capital', 'The capital is']);
});

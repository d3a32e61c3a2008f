import { expect, it } from 'vitest';
import { readTokenAnswer, tokenRequest } from './token';

it('asks for a place in the words of the endpoint format, and only for what is known', () => {
  expect(tokenRequest({ room: 'hall', identity: 'p-1' })).toEqual({ room_name: 'hall', participant_identity: 'p-1' });
  expect(tokenRequest({ room: null, identity: null })).toEqual({});
});

it('brings the languages of the browser along', () => {
  expect(tokenRequest({ room: null, identity: null }, ['fr-FR', 'en'])).toEqual({
    participant_attributes: { 'aura.languages': 'fr-FR,en' },
  });
});

it('brings along what the person chose, so that it holds from the first word', () => {
  expect(tokenRequest({ room: null, identity: null }, [], { voice: 'eric', modality: 'text' })).toEqual({
    participant_attributes: { 'aura.persona': '{"voice":"eric","modality":"text"}' },
  });
});

it('reads a grant', () => {
  expect(readTokenAnswer(200, { server_url: 'ws://h', participant_token: 't' }, null)).toEqual({
    kind: 'granted',
    grant: { serverUrl: 'ws://h', participantToken: 't' },
  });
});

it('reads that all lines are busy, and when to try again', () => {
  const full = (error: object, header: string | null) =>
    readTokenAnswer(503, { error: { code: 'full', ...error } }, header);
  expect(full({ message: 'Two of two.', retry_after_s: 7 }, '9')).toEqual({
    kind: 'later',
    full: true,
    message: 'Two of two.',
    retryAfterS: 7,
  });
  expect(full({}, '9')).toMatchObject({ retryAfterS: 9 });
  expect(full({ retry_after_s: -1 }, null)).toMatchObject({ retryAfterS: 10 });
});

it('reads that the server is not ready yet', () => {
  const answer = readTokenAnswer(503, { error: { code: 'starting', message: 'Loading.', retry_after_s: 5 } }, null);
  expect(answer).toEqual({ kind: 'later', full: false, message: 'Loading.', retryAfterS: 5 });
});

it('reads any other answer as a refusal with the reason, if it gave one', () => {
  expect(readTokenAnswer(503, { error: { code: 'starting', message: 'Models are loading.' } }, null)).toMatchObject({
    kind: 'refused',
    problem: { title: 'AURA does not take this call', technical: 'POST /api/token answered 503. Models are loading.' },
  });
  expect(readTokenAnswer(500, null, null)).toMatchObject({
    kind: 'refused',
    problem: { technical: 'POST /api/token answered 500.' },
  });
  expect(readTokenAnswer(200, { server_url: 1 }, null)).toMatchObject({ kind: 'refused' });
});

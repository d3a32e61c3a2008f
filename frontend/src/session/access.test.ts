import { expect, it } from 'vitest';
import { readRefusal, wantedAccess } from './access';
import { readTokenAnswer } from './token';

it('tells a call that wants a password or a sign-in from one that is refused for good', () => {
  expect(wantedAccess('password')).toBe('password');
  expect(wantedAccess('sign_in')).toBe('sign_in');
  expect(wantedAccess('wrong_host')).toBeNull();
  const answer = readTokenAnswer(401, { error: { code: 'password', message: 'Say it.' } }, null);
  expect(answer.kind === 'refused' && answer.problem.code).toBe('password');
  const other = readTokenAnswer(403, { error: { code: 'wrong_origin', message: 'No.' } }, null);
  expect(other.kind === 'refused' && other.problem.code).toBe('token');
});

it('reads why a password is not taken, whatever the server answers', () => {
  expect(readRefusal({ error: { code: 'too_many_tries', message: '' } })).toBe('too_many_tries');
  for (const body of [null, {}, { error: null }, { error: { code: 7 } }]) expect(readRefusal(body)).toBe('other');
});

import { describe, expect, it } from 'vitest';
import { type About, promised, readAbout } from './about';

const HERE = {
  state: 'ready',
  runs_here: true,
  elsewhere: {},
  sees: true,
  languages: ['en'],
  voice_languages: ['en'],
  voices: ['eva'],
};
const told = (change: object, host = '127.0.0.1') => promised(readAbout({ ...HERE, ...change }), host);

describe('readAbout', () => {
  it('reads what is told, and takes nothing for granted', () => {
    expect(readAbout(HERE)).toMatchObject({
      state: 'ready',
      runsHere: true,
      sees: true,
      voiceLanguages: ['en'],
      voices: ['eva'],
    });
    expect(readAbout({ state: 'ready' })).toEqual({
      state: 'ready',
      runsHere: false,
      elsewhere: [],
      onlyAnswersElsewhere: false,
      sees: null,
      languages: [],
      voiceLanguages: [],
      voices: [],
      feedback: false,
      samples: false,
      records: false,
      personas: [],
    } satisfies About);
  });

  it.each([null, [], 'ready', {}, { state: 'well' }])('says nothing of %j', (body) => {
    expect(readAbout(body)).toBeNull();
  });
});

describe('promised', () => {
  it('says "this computer" only to who sits at it', () => {
    for (const host of ['127.0.0.1', 'localhost', 'aura.localhost', '[::1]']) {
      expect(told({}, host)).toEqual({ what: 'runsHere' });
    }
    for (const host of ['192.168.1.7', 'aura.example.org', '127.0.0.1.example.org']) {
      expect(told({}, host)).toEqual({ what: 'runsOn', hosts: [host] });
    }
  });

  it('names every host that is told what people say', () => {
    const away = (elsewhere: object) => told({ runs_here: false, elsewhere });
    expect(away({ answers: 'llm.lan' })).toEqual({ what: 'answersFrom', hosts: ['llm.lan'] });
    expect(away({ pipeline: 'gpu.lan' })).toEqual({ what: 'goesTo', hosts: ['gpu.lan'] });
    expect(away({ media: 'lk.lan', pipeline: 'gpu.lan', answers: 'gpu.lan' })).toEqual({
      what: 'goesTo',
      hosts: ['lk.lan', 'gpu.lan'],
    });
  });

  it('promises nothing that is not known', () => {
    expect(told({ runs_here: false })).toBeNull();
    expect(told({ state: 'starting' })).toEqual({ what: 'starting' });
    expect(promised(null, '127.0.0.1')).toBeNull();
  });
});

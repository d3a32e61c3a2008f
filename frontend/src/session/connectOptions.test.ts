import { expect, it } from 'vitest';
import { connectOptions } from './connectOptions';

it('asks nobody on the internet how to reach its own machine', () => {
  for (const url of ['ws://127.0.0.1:7880', 'ws://localhost:7880', 'ws://[::1]:7880/']) {
    expect(connectOptions(url)).toEqual({ rtcConfig: { iceServers: [] } });
  }
});

it('leaves it to a server elsewhere', () => {
  for (const url of ['wss://media.example.org', 'ws://192.168.1.7:7880']) expect(connectOptions(url)).toEqual({});
});

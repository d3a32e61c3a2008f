import { expect, it } from 'vitest';
import { bestAddress, givesMicrophones, readAddresses } from './addresses';

it('takes addresses of pages, and nothing else', () => {
  expect(readAddresses({ addresses: ['https://a.example/', 'javascript:alert(1)', 'nowhere', 7] })).toEqual([
    'https://a.example/',
  ]);
  for (const body of [null, 7, {}, { addresses: 'https://a.example/' }]) expect(readAddresses(body)).toEqual([]);
});

it('prefers the address at which the page is open, with its port, where others reach it', () => {
  const addresses = ['https://aura.example.org/', 'https://192.168.1.7/'];
  expect(bestAddress(addresses, 'http://127.0.0.1:8080/?room=a')).toBe('https://aura.example.org/');
  expect(bestAddress(addresses, 'https://192.168.1.7:8443/?room=a')).toBe('https://192.168.1.7:8443/');
  expect(bestAddress([], 'https://192.168.1.7/')).toBeNull();
});

it('knows where a phone can speak', () => {
  expect(givesMicrophones('https://aura.lan/')).toBe(true);
  expect(givesMicrophones('http://192.168.1.7:8080/')).toBe(false);
});

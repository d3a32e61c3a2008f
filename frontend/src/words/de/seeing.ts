import type { Words } from '../en';

export const seeing: Words['seeing'] = {
  sees: 'sieht:',
};

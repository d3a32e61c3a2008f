import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ReplayPage } from './ReplayPage';

it('asks for files only where no record is on its way', () => {
  expect(renderToStaticMarkup(<ReplayPage token={null} />)).toContain('type="file"');
  expect(renderToStaticMarkup(<ReplayPage token="secret" />)).not.toContain('type="file"');
});

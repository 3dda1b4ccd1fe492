/** What was masked and what was left out when the file was made. */
import type { ExportedData } from '../../src/views/export/data.ts';

export function About({ data }: { readonly data: ExportedData }) {
  return (
    <div class="about">
      {data.about.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {data.found.length > 0 && (
        <table>
          <caption>Masked</caption>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Times</th>
              <th scope="col">Around it</th>
            </tr>
          </thead>
          <tbody>
            {data.found.map(({ kind, placeholder, count, preview }) => (
              <tr key={placeholder}>
                <td>{kind === 'person' ? 'home folders and user names' : placeholder}</td>
                <td class="number">{count}</td>
                <td dir="auto">{preview}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p class="quiet small">What no rule knows is not found. A published secret is a changed secret: rotate it.</p>
    </div>
  );
}

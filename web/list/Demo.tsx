/** Said once at the top while the demo set is shown. */
export function Demo() {
  return (
    <details class="demo">
      <summary>These are demo chats: no sessions were found on this machine.</summary>
      <p>
        Skein looks in <code>~/.claude</code>, or where <code>CLAUDE_CONFIG_DIR</code> points. Sessions that lie
        elsewhere:
      </p>
      <pre>skein serve --root DIR</pre>
      <p>New sessions appear here by themselves once there are some.</p>
    </details>
  );
}

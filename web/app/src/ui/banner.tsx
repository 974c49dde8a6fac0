// SPDX-License-Identifier: Apache-2.0
// What the reader has to know about the server: that it is gone, that it asks for a token.
import { useState } from "preact/hooks";
import { token } from "../api/client";
import { connect, connection, model, refusal, replaced } from "../state/session";

function TokenForm() {
  const [typed, setTyped] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        token.value = typed;
        void connect();
      }}
    >
      <label>
        Token{" "}
        <input
          type="password"
          autocomplete="off"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Connect</button>
    </form>
  );
}

export function Banner() {
  const state = connection.value;
  return (
    <div class="banners" role="alert">
      {state === "down" && (
        <div class="banner bad">
          <p>
            <b>The server does not answer.</b> What you see stays as it was. The page tries again
            every second and continues by itself.
          </p>
        </div>
      )}
      {state === "refused" && (
        <div class="banner bad">
          <p>
            <b>The server refuses.</b> {refusal.value}
          </p>
          <TokenForm />
        </div>
      )}
      {replaced.value && state === "up" && (
        <div class="banner">
          <p>
            <b>The server came back with another model:</b> {model.value?.name}. Answers and
            certificates are now about this one.
          </p>
          <button type="button" onClick={() => (replaced.value = false)}>
            Understood
          </button>
        </div>
      )}
    </div>
  );
}

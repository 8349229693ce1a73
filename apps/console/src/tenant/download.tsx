import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Problem } from '../shared/ui.js';

interface DownloadParts {
  readonly label: string;
  /** The name of the file. */
  readonly as: string;
  /** @throws the refusal */
  readonly read: () => Promise<Blob>;
}

/** Saves as a file what a link could not get, because a link sends no key. */
export function Download({ label, as, read }: DownloadParts) {
  const [state, setState] = useState<{ busy?: boolean; error?: unknown }>({});
  const download = async () => {
    setState({ busy: true });
    try {
      const url = URL.createObjectURL(await read());
      const link = document.createElement('a');
      Object.assign(link, { href: url, download: as }).click();
      URL.revokeObjectURL(url);
      setState({});
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <>
      <Button className="button small" isDisabled={state.busy} onPress={() => void download()}>
        {state.busy ? 'Reading…' : label}
      </Button>
      {state.error !== undefined && <Problem error={state.error} />}
    </>
  );
}

/** Nodes of an API description with the files that they are in. */
import type { Node } from '../config/yaml/node.js';
import type { Source } from '../source.js';

/** One file. */
export interface Document {
  /** Below the description's folder; of the description itself its file name. */
  readonly path: string;
  readonly source: Source;
  readonly root: Node;
  /** False for a file that is JSON. */
  readonly isYaml: boolean;
}

/** A node and its file: references in it are relative to the file. */
export interface NodeInFile {
  readonly node: Node;
  readonly document: Document;
}

/** Nodes of an API description and the files that contain them. */
import type { Node } from '../config/yaml/node.js';
import type { Source } from '../source.js';

/** A file. */
export interface Document {
  /** The path below the description's folder; for the main file, its file name. */
  readonly path: string;
  readonly source: Source;
  readonly root: Node;
  /** False for JSON files. */
  readonly isYaml: boolean;
}

/** A node and its file, to which references in the node are relative. */
export interface NodeInFile {
  readonly node: Node;
  readonly document: Document;
}

/** Deployment targets of a service. */

/** `kubernetes` adds manifests to the files of `docker`. */
export type Target = 'docker' | 'kubernetes';

/** All targets, starting with the default. */
export const targets: readonly Target[] = ['docker', 'kubernetes'];

/** Kubernetes objects that are only added on request. */
export const kubernetesExtras = ['ingress', 'network-policy', 'pod-monitor'] as const;

export type KubernetesExtra = (typeof kubernetesExtras)[number];

/** Whether only a build for Kubernetes writes this path. */
export function isForKubernetes(path: string): boolean {
  return path.startsWith('kubernetes/base/');
}

/** How a service gets the runtime: as a tarball in its folder, or from a registry. */
export const runtimeSources = ['vendor', 'registry'] as const;
export type RuntimeSource = (typeof runtimeSources)[number];

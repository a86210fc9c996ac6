/** Where a service is to run. */

/** `kubernetes` adds manifests to the files of `docker`. */
export type Target = 'docker' | 'kubernetes';

/** All targets, the one for "no target" first. */
export const targets: readonly Target[] = ['docker', 'kubernetes'];

/** Objects of Kubernetes that a service has where they are asked for. */
export const kubernetesExtras = ['ingress', 'network-policy', 'pod-monitor'] as const;

export type KubernetesExtra = (typeof kubernetesExtras)[number];

/** True for a path in a service's folder that only a build for Kubernetes writes. */
export function isForKubernetes(path: string): boolean {
  return path.startsWith('kubernetes/base/');
}

/** How a service gets the runtime: from the tarball in its folder, or from a registry. */
export const runtimeSources = ['vendor', 'registry'] as const;
export type RuntimeSource = (typeof runtimeSources)[number];

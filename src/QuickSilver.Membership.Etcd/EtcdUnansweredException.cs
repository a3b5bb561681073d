namespace QuickSilver.Membership.Etcd;

/// <summary>A member of etcd, or all of them, did not answer. What was asked for may be done or not.</summary>
/// <param name="message">Which, and why.</param>
/// <param name="inner">The cause, if there is one.</param>
internal sealed class EtcdUnansweredException(string message, Exception? inner = null) : IOException(message, inner);

namespace QuickSilver.Membership.Peers;

/// <summary>Nobody is elected for now; the message says why, to operators.</summary>
internal sealed class NobodyElectedException(string message) : Exception(message);

namespace QuickSilver.Security;

/// <summary>A handshake has failed.</summary>
/// <param name="fault">The reason.</param>
/// <param name="message">The reason as a clause, for a user of this side.</param>
/// <param name="inner">The cause; null for none.</param>
internal sealed class HandshakeException(HandshakeFault fault, string message, Exception? inner = null)
    : Exception(message, inner)
{
    /// <summary>The reason.</summary>
    public HandshakeFault Fault { get; } = fault;

    /// <summary>True when one side has judged the other: the next try comes to the same.</summary>
    public bool IsVerdict =>
        Fault is > HandshakeFault.None and <= HandshakeFault.NoIdentity
            or HandshakeFault.NotSecured or HandshakeFault.OtherMode or HandshakeFault.OtherVersion;
}

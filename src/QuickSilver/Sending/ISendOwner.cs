namespace QuickSilver.Sending;

/// <summary>Who waits at a <see cref="SendGate"/>: a handle, which may end meanwhile. Any thread.</summary>
internal interface ISendOwner
{
    /// <summary>True once the handle has been left, disposed of, or has failed.</summary>
    bool HasEnded { get; }

    /// <summary>What a call on the ended handle throws.</summary>
    Exception EndException();
}

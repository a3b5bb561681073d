namespace QuickSilver.Protocol.Core;

/// <summary>
/// The finished reads of all of a node's sockets, in whole reads, not single datagrams. Core thread only.
/// </summary>
internal interface ICompletionQueue
{
    /// <summary>
    /// Takes every read that is ready, up to the room in <paramref name="batch"/>, control sockets first. Never waits.
    /// Buffers stay valid until <see cref="Recycle"/>.
    /// </summary>
    /// <returns>How many were added.</returns>
    int Take(List<Completion> batch, int room);

    /// <summary>Returns the buffer of a handled completion.</summary>
    void Recycle(in Completion completion);
}

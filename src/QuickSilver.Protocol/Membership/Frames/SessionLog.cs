namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The numbered frames that one end of a session has sent and the other has not confirmed, so that a broken connection
/// loses and repeats nothing. Both ends count the numbered frames that they receive, and report the count in heartbeats
/// and registrations. Unconfirmed frames are sent again on the next connection. Frames never change once appended, and
/// may be shared by logs. Core thread only.
/// </summary>
internal sealed class SessionLog
{
    private readonly Queue<byte[]> _frames = new();

    /// <summary>Frames appended since the session began.</summary>
    public ulong Appended { get; private set; }

    /// <summary>Frames confirmed since the session began.</summary>
    public ulong Confirmed => Appended - (ulong)_frames.Count;

    /// <summary>Frames not yet confirmed, oldest first.</summary>
    public IReadOnlyCollection<byte[]> Unconfirmed => _frames;

    /// <summary>Keeps a frame until it is confirmed.</summary>
    public void Append(byte[] frame)
    {
        _frames.Enqueue(frame);
        Appended++;
    }

    /// <summary>
    /// Forgets confirmed frames. A confirmation older than another has no effect: it came in a frame that was sent
    /// again.
    /// </summary>
    /// <returns>False when the other end claims more frames than were sent.</returns>
    public bool TryConfirm(ulong received)
    {
        if (received > Appended) return false;
        while (Appended - received < (ulong)_frames.Count) _frames.Dequeue();
        return true;
    }

    /// <summary>
    /// Forgets confirmed frames, and checks that the rest is exactly the part that the other end lacks.
    /// </summary>
    /// <returns>False when the session cannot continue: the other end claims more than was sent, or lacks frames that
    /// it had confirmed.</returns>
    public bool TryResume(ulong received) =>
        TryConfirm(received) && Appended - received == (ulong)_frames.Count;
}

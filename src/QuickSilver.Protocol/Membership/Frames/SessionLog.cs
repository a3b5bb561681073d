namespace QuickSilver.Protocol.Membership.Frames;

/// <summary>
/// The numbered frames that one end of a session has sent and the other end has not confirmed, so that a broken connection loses and repeats nothing:
/// both ends count the numbered frames that they take, tell each other in heartbeats and registrations, and send what is unconfirmed again on the
/// next connection. Frames are never changed once appended, and may be shared by logs. Core thread only.
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
    /// Forgets what the other end has taken. A confirmation that is older than another changes nothing: it came in a frame that was sent again.
    /// </summary>
    /// <returns>False when the other end claims more than was sent.</returns>
    public bool TryConfirm(ulong received)
    {
        if (received > Appended) return false;
        while (Appended - received < (ulong)_frames.Count) _frames.Dequeue();
        return true;
    }

    /// <summary>Forgets what the other end has taken, and tells whether the rest is all that it lacks.</summary>
    /// <returns>False when the session cannot go on: the other end claims more than was sent, or lacks what it had confirmed.</returns>
    public bool TryResume(ulong received) => TryConfirm(received) && Appended - received == (ulong)_frames.Count;
}

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The gate of one lane: shut while any of the streams of its route, or the wait for its step, has reached a limit of
/// pending. A field of <see cref="SendLane"/>, never copied. Core thread only.
/// <para>
/// The gates of streams change in the middle of other calls. So the host is notified at the end of the outermost one,
/// and only of a change. Awkward case: a gate that shut and opened again in between. A sender that checked it meanwhile
/// found no room and stopped, so that counts as a change too.
/// </para>
/// </summary>
internal struct LaneGate
{
    private int _shut;
    private bool _isMarked;
    private bool _hasShutSince;

    /// <summary>An open gate, known as open to the host.</summary>
    public LaneGate() => IsOpen = true;

    /// <summary>The state that the host was notified of last.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>True while nothing holds the lane up, whether or not the host knows.</summary>
    public readonly bool HasRoom => _shut == 0;

    /// <summary>One of the limits that can hold the lane up has changed, or is found shut.</summary>
    public void OnChanged(bool open)
    {
        _shut += open ? -1 : 1;
        _hasShutSince |= !open;
    }

    /// <summary>Forgets all limits, because the lane is bound again.</summary>
    public void Reset() => _shut = 0;

    /// <summary>Marks the gate for one check at the end of the call.</summary>
    /// <returns>True when it was not marked before.</returns>
    public bool TryMark()
    {
        bool isFirst = !_isMarked;
        _isMarked = true;
        return isFirst;
    }

    /// <summary>Makes the check at the end of the call.</summary>
    /// <returns>True when the host must be notified of <see cref="IsOpen"/>.</returns>
    public bool TryConsumeChange()
    {
        _isMarked = false;
        bool open = _shut == 0;
        bool isChange = open != IsOpen || (open && _hasShutSince);
        _hasShutSince = false;
        IsOpen = open;
        return isChange;
    }
}

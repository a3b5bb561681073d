namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The gate of one group: shut while any of the streams it is bound to, or the wait for its step, has reached a limit of pending. A field of
/// <see cref="GroupSender"/>, never copied. Core thread only.
/// <para>
/// The gates of streams change in the middle of other calls, so the host is told at the end of the outermost one, and only if there is news. Awkward
/// case: a gate that shut and opened again in between. Whoever looked meanwhile found no room and stopped, so that is news as well.
/// </para>
/// </summary>
internal struct GroupGate
{
    private int _shut;
    private bool _isMarked;
    private bool _hasShutSince;

    /// <summary>Open, and told so.</summary>
    public GroupGate() => IsOpen = true;

    /// <summary>What the host was told last.</summary>
    public bool IsOpen { get; private set; }

    /// <summary>True while nothing holds the group up, told or not.</summary>
    public readonly bool HasRoom => _shut == 0;

    /// <summary>One of the things that can hold the group up has changed, or is found shut.</summary>
    public void OnChanged(bool open)
    {
        _shut += open ? -1 : 1;
        _hasShutSince |= !open;
    }

    /// <summary>What held the group up does so no more: it is bound anew.</summary>
    public void Reset() => _shut = 0;

    /// <summary>Sees to it that the gate is looked at once at the end of the call.</summary>
    /// <returns>True when that was not seen to before.</returns>
    public bool TryMark()
    {
        bool isFirst = !_isMarked;
        _isMarked = true;
        return isFirst;
    }

    /// <summary>The end of the call has come.</summary>
    /// <returns>True when the host must be told what <see cref="IsOpen"/> now says.</returns>
    public bool TryConsumeChange()
    {
        _isMarked = false;
        bool open = _shut == 0;
        bool isNews = open != IsOpen || (open && _hasShutSince);
        _hasShutSince = false;
        IsOpen = open;
        return isNews;
    }
}

namespace QuickSilver.Protocol.Dissemination;

/// <summary>
/// Where a group's next message comes from: the messages that were admitted, and the sources that say they have more. They take turns, so a source
/// that never ends does not hold up what was admitted, nor another source. A field of <see cref="GroupSender"/>, never copied. Core thread only.
/// </summary>
internal struct MessageSupply
{
    /// <summary>What was admitted and waits.</summary>
    public AdmissionQueue Admitted;

    private MessageSources? _sources;
    private int _turn;

    /// <summary>True when some source wants to be asked.</summary>
    public readonly bool AnySourceReady => _sources is not null && _sources.AnyReady;

    public void AddSource(IMessageSource source)
    {
        _sources ??= new MessageSources();
        _sources.Add(source);
    }

    public readonly void RemoveSource(IMessageSource source) => _sources?.Remove(source);

    /// <summary>A source has something to send.</summary>
    /// <returns>False when it is not registered.</returns>
    public readonly bool Signal(IMessageSource source) => _sources is not null && _sources.Signal(source);

    /// <summary>Lets the next source write a message.</summary>
    /// <param name="gate">The group's: while it has no room sources are not asked.</param>
    /// <param name="writer">Where a source writes.</param>
    /// <returns>False when there is none.</returns>
    public bool TryPull(in GroupGate gate, MessageWriter writer)
    {
        int count = _sources?.Count ?? 0;
        for (int tried = 0; tried < count && gate.HasRoom; tried++)
        {
            int turn = _turn > 0 && _turn <= count ? _turn : 1;
            _turn = turn + 1;
            if (_sources!.TryAsk(turn - 1, writer)) return true;
        }
        return false;
    }

    /// <summary>Takes the next message that was admitted, or lets the next source write one.</summary>
    /// <param name="gate">The group's: while it has no room sources are not asked. Looked at before each, since one that is asked may admit.</param>
    /// <param name="writer">Where a source writes.</param>
    /// <param name="admitted">The message; null when a source has written one.</param>
    /// <returns>False when there is none.</returns>
    public bool TryNext(in GroupGate gate, MessageWriter writer, out OutgoingMessage? admitted)
    {
        int turns = 1 + (_sources?.Count ?? 0);
        for (int tried = 0; tried < turns; tried++)
        {
            int turn = _turn < turns ? _turn : 0;
            _turn = turn + 1;
            if (turn == 0 && !Admitted.IsEmpty)
            {
                admitted = Admitted.Take();
                return true;
            }
            if (turn == 0 || !gate.HasRoom || !_sources!.TryAsk(turn - 1, writer)) continue;
            admitted = null;
            return true;
        }
        admitted = null;
        return false;
    }
}

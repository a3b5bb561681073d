namespace QuickSilver.Sending;

/// <summary>
/// A group as the stages know it: its messages wait in one stage at a time. While <see cref="Stage"/> is null, no
/// message of the group enters any stage: the core moves the group, or has closed it.
/// </summary>
internal abstract class StagedGroup
{
    private SendStage? _stage;

    /// <summary>The stage that takes the group's messages. Written by the core thread. Any thread.</summary>
    public SendStage? Stage
    {
        get => Volatile.Read(ref _stage);
        set => Volatile.Write(ref _stage, value);
    }

    /// <summary>A number by which a stage tells its groups apart; groups that share one are never mixed up. Set before
    /// the first message. Any thread.</summary>
    public int Number { get; set; }

    /// <summary>Has memory loaded that the next messages of the group will use: the group itself has been.</summary>
    public abstract void Prepare();
}

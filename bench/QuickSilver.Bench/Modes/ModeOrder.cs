namespace QuickSilver.Bench.Modes;

/// <summary>The groups of one mode in a run.</summary>
/// <param name="Mode">The mode of all of them.</param>
/// <param name="Groups">How many.</param>
/// <param name="Rate">Messages a second to each, from one of its members; 0: the first member sends to all of them at
/// full speed.</param>
/// <param name="IsFromOne">True: the first member sends to all of them.</param>
internal sealed record ModeOrder(GroupMode Mode, int Groups, double Rate, bool IsFromOne = false)
{
    /// <summary>The name of a group.</summary>
    public string NameOf(int group) => $"{Mode}/{group}";

    /// <summary>The member that sends to a group.</summary>
    public int SenderOf(int group, int members) => Rate > 0 && !IsFromOne ? group % members : 0;
}

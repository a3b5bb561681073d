namespace QuickSilver.Sending;

/// <summary>
/// What all groups of a node have unsent together. Idea: each group's gate alone would let a thousand groups fill a thousand times what a cache
/// holds. So the core keeps one sum, and while it is high, the node is crowded, and every gate is held to little of its own: enough that packing
/// never runs dry, since groups take turns there, and that no group waits for another.
/// <para>
/// Awkward case: what was admitted since a group last told is not in the sum yet; a group tells when it hands messages to the core, and at the end of
/// a turn that has packed some. Cost: an addition for each of these, a read a message elsewhere.
/// </para>
/// </summary>
/// <param name="mostBytes">The sum above which the node is crowded; at half of it, it no longer is.</param>
internal sealed class UnsentBudget(long mostBytes)
{
    /// <summary>What a group may have unsent in a crowded node, in bytes.</summary>
    public const long MostInCrowd = 2_048;

    private const int MessageOverhead = 128;

    private long _bytes;
    private bool _isCrowded;

    /// <summary>True while every group is held to its <see cref="MostInCrowd"/>. Any thread.</summary>
    public bool IsCrowded => Volatile.Read(ref _isCrowded);

    /// <summary>What messages count for.</summary>
    public static long CostOf(long messages, long bytes) => bytes + (messages * MessageOverhead);

    /// <summary>A group has more unsent than it told last, or less. Core thread only.</summary>
    public void Change(long cost)
    {
        _bytes += cost;
        if (_bytes >= mostBytes && !_isCrowded) Volatile.Write(ref _isCrowded, true);
        if (_bytes <= mostBytes / 2 && _isCrowded) Volatile.Write(ref _isCrowded, false);
    }
}

namespace QuickSilver.Sending;

/// <summary>
/// What all groups of a node have unsent together. Idea: each group's gate alone would let a thousand groups fill a thousand times what a cache
/// holds. So the core keeps one sum, and while it is high, the node is crowded, and every gate is held to little of its own: enough that packing
/// never runs dry, since groups take turns there, and that no group waits for another.
/// <para>
/// Awkward case: what is in the request queue is not in the sum yet; the core empties that queue every turn. Cost: an addition a message on the core
/// thread, a read a message elsewhere.
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

    /// <summary>A message has come from the request queue. Core thread only.</summary>
    public void Add(int bytes)
    {
        _bytes += bytes + MessageOverhead;
        if (_bytes >= mostBytes && !_isCrowded) Volatile.Write(ref _isCrowded, true);
    }

    /// <summary>It has been packed for the last time, or dropped. Core thread only.</summary>
    public void Remove(int bytes)
    {
        _bytes -= bytes + MessageOverhead;
        if (_bytes <= mostBytes / 2 && _isCrowded) Volatile.Write(ref _isCrowded, false);
    }
}

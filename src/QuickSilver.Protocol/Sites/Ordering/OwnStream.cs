using System.Diagnostics;

namespace QuickSilver.Protocol.Sites.Ordering;

/// <summary>The entries of a site itself: what waits for a stamp, and what other sites may lack.</summary>
internal sealed class OwnStream
{
    private readonly Queue<OrderedContent> _waiting = new();

    /// <summary>Entries that have a number.</summary>
    public ulong Numbered { get; set; }

    /// <summary>True once entries get stamps.</summary>
    public bool HasBegun { get; set; }

    /// <summary>Messages that wait for a stamp and were sent before this replica was there.</summary>
    public int Unseen { get; set; }

    /// <summary>Entries that some other site may lack, as far as they are here.</summary>
    public KeptEntries Kept { get; } = new();

    /// <summary>Messages that wait for a stamp.</summary>
    public int Waiting => Unseen + _waiting.Count;

    /// <summary>Messages that some other site lacks, as far as is known.</summary>
    public ulong Unacknowledged => Numbered - Kept.Released + (ulong)Waiting;

    /// <summary>A message waits for its stamp.</summary>
    public void Wait(OrderedContent content) => _waiting.Enqueue(content);

    /// <summary>Takes the message that has waited longest.</summary>
    public bool TryTakeWaiting(out OrderedContent? content) => _waiting.TryDequeue(out content);

    /// <summary>Keeps an entry that was numbered.</summary>
    public void Keep(OrderedEntry entry)
    {
        Debug.Assert(entry.Number == Numbered, "entries are numbered one by one");
        Kept.Add(entry);
    }
}

using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The lane of one group's own sources: feeds, and whatever else signals the group. They take turns, so an endless
/// source does not hold up another. A signal during a call that returns "nothing" counts, so that messages that came in
/// between are not lost. Core thread only.
/// </summary>
/// <param name="routes">The ways of the node's messages.</param>
/// <param name="group">The group.</param>
internal sealed class GroupLane(RouteTable routes, GroupSender group) : SendLane(routes)
{
    private readonly List<Entry> _entries = [];
    private int _turn;

    /// <inheritdoc/>
    internal override bool AnyReady
    {
        get
        {
            foreach (Entry entry in _entries)
            {
                if (entry.IsReady) return true;
            }
            return false;
        }
    }

    /// <summary>Registers a source.</summary>
    public void Add(IMessageSource source) => _entries.Add(new Entry(source));

    /// <summary>Removes a source.</summary>
    public void Remove(IMessageSource source)
    {
        int index = IndexOf(source);
        if (index >= 0) _entries.RemoveAt(index);
    }

    /// <summary>Marks a source as having messages.</summary>
    public void Signal(IMessageSource source, Instant now)
    {
        int index = IndexOf(source);
        if (index < 0) return;
        _entries[index].IsReady = true;
        Routes.Loop.Enter();
        Schedule();
        Routes.Loop.Leave(now);
    }

    /// <inheritdoc/>
    internal override GroupSender? Next(Instant now)
    {
        if (!IsCurrent) Take(group.RouteNow(now));
        // Another lane of the group may have computed its route; it is the same one.
        return Route is null ? null : group;
    }

    /// <inheritdoc/>
    internal override bool TryPull(GroupSender next)
    {
        int count = _entries.Count;
        for (int tried = 0; tried < count && HasRoom; tried++)
        {
            if (_turn >= count) _turn = 0;
            if (TryAsk(_turn++, Routes.Own.Writer)) return true;
        }
        return false;
    }

    /// <inheritdoc/>
    private protected override void OnGateChanged(bool open, Instant now) => group.OnGateChanged(open, now);

    // Asks one source, if it is ready; true when it has written a message.
    private bool TryAsk(int index, MessageWriter writer)
    {
        // A source asked in the same round may have removed this one.
        if (index >= _entries.Count) return false;
        Entry entry = _entries[index];
        if (!entry.IsReady) return false;
        entry.IsReady = false;
        if (entry.Source.Write(writer)) entry.IsReady = true;
        else writer.Discard();
        return writer.HasMessage || writer.Followers > 0;
    }

    private int IndexOf(IMessageSource source)
    {
        for (int index = 0; index < _entries.Count; index++)
        {
            if (ReferenceEquals(_entries[index].Source, source)) return index;
        }
        return -1;
    }

    private sealed class Entry(IMessageSource source)
    {
        public IMessageSource Source { get; } = source;

        public bool IsReady { get; set; }
    }
}

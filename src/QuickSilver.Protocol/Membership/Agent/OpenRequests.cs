using QuickSilver.Protocol.Core;

namespace QuickSilver.Protocol.Membership.Agent;

/// <summary>
/// Requests that the server has but no step contains yet, in their order, found by name or by group in O(1). A request
/// that is answered leaves a gap; gaps are closed when they are more than half. Memory of a burst is given back when no
/// request is left.
/// </summary>
internal sealed class OpenRequests
{
    private const int FewSlots = 64;

    private readonly List<Slot> _slots = [];
    private readonly Dictionary<string, int> _joins = new(StringComparer.Ordinal);
    private readonly Dictionary<uint, int> _leaves = [];
    private int _count;

    /// <summary>Adds a request behind all others.</summary>
    public void Add(AgentRequest request)
    {
        int slot = _slots.Count;
        _slots.Add(new Slot(request));
        _count++;
        if (request.Name is not { } name)
        {
            _leaves.TryAdd(request.Group, slot);
            return;
        }
        if (_joins.TryAdd(name, slot)) return;

        // The same name again, after a join that was abandoned: it waits behind the other.
        int last = _joins[name];
        while (_slots[last].Next > 0) last = _slots[last].Next;
        _slots[last] = _slots[last] with { Next = slot };
    }

    /// <summary>The string with which a name was requested: one for all who keep it. The given one without a
    /// request.</summary>
    public string Shared(string name) =>
        _joins.TryGetValue(name, out int slot) ? _slots[slot].Request.Name! : name;

    /// <summary>Removes the oldest join of a name, if there is any.</summary>
    public void RemoveJoin(string name)
    {
        if (!_joins.TryGetValue(name, out int slot)) return;
        int next = _slots[slot].Next;
        if (next > 0) _joins[name] = next;
        else _joins.Remove(name);
        Remove(slot);
    }

    /// <summary>Removes the leave of a group, if there is one, and the joins of its name before it.</summary>
    public void RemoveLeave(uint group, string name)
    {
        if (!_leaves.Remove(group, out int leave)) return;
        while (_joins.TryGetValue(name, out int join) && join < leave) RemoveJoin(name);
        Remove(leave);
    }

    /// <summary>Moves all requests, in their order, to the front of a list.</summary>
    public void MoveTo(List<AgentRequest> requests)
    {
        requests.InsertRange(0, _slots.Where(static slot => !slot.IsGap).Select(static slot => slot.Request));
        Clear();
    }

    /// <summary>Closes the gaps, if there are many. Call it when a batch of requests has been answered.</summary>
    public void Trim()
    {
        if (_count == 0) Clear();
        if (_slots.Count < FewSlots || _count > _slots.Count / 2) return;
        List<AgentRequest> rest = [];
        MoveTo(rest);
        foreach (AgentRequest request in rest) Add(request);
    }

    private void Clear()
    {
        _slots.Clear();
        _joins.Clear();
        _leaves.Clear();
        _count = 0;
        SpareRoom.GiveBack(_slots);
        SpareRoom.GiveBack(_joins);
        SpareRoom.GiveBack(_leaves);
    }

    private void Remove(int slot)
    {
        _slots[slot] = Slot.Gap;
        _count--;
    }

    // Next: a later join of the same name; 0: none.
    private readonly record struct Slot(AgentRequest Request, int Next = 0, bool IsGap = false)
    {
        public static readonly Slot Gap = new(default, 0, true);
    }
}

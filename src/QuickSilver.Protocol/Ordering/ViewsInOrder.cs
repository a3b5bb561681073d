using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Membership.Agent;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>
/// Views of ordered groups that are installed, and begin when the order has come to their step: after every message of
/// the view before, before the first of their own. Core thread only.
/// </summary>
/// <param name="parts">What the ordered groups share.</param>
internal sealed class ViewsInOrder(OrderedParts parts)
{
    private readonly RingQueue<Awaited> _awaited = new();

    /// <summary>True while a view waits for its place that begins with a step, or before.</summary>
    public bool Awaits(RingId step) => _awaited.Count > 0 && _awaited.First.Step <= step;

    /// <summary>A step is installed: finds the views that it brings.</summary>
    public void OnStepInstalled(InstalledStep step, Instant now)
    {
        foreach (OrderedGroup group in parts.Groups)
        {
            if (group.Layout == GroupLayout.None)
            {
                // The first view of a session: the stack has told of it.
                group.Show(step.Layout);
                continue;
            }
            if (step.Layout.NumberOf(group.Id) != step.Number) continue;
            _awaited.Enqueue(new Awaited(RingId.Of(step.Number), group, step.Layout));
        }
    }

    /// <summary>The order has come to a step: its views begin, and those of steps before it.</summary>
    public void Reach(RingId step, Instant now)
    {
        while (_awaited.Count > 0 && _awaited.First.Step <= step)
        {
            Awaited view = _awaited.Dequeue();
            if (!view.Group.IsClosed) Show(view.Group, view.Layout, now);
        }
    }

    /// <summary>Forgets all.</summary>
    public void Clear()
    {
        while (_awaited.Count > 0) _awaited.Dequeue();
    }

    private static void Show(OrderedGroup group, GroupLayout layout, Instant now)
    {
        group.Show(layout);
        ModeSession? member = group.Member;
        ModeSession? publisher = group.Publisher;
        member?.ShowView?.Invoke(layout, now);
        publisher?.ShowView?.Invoke(layout, now);
    }

    private readonly record struct Awaited(RingId Step, OrderedGroup Group, GroupLayout Layout);
}

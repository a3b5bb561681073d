using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>The lane of one group's own sources, which take turns: feeds, and whatever else signals the
/// group.</summary>
/// <param name="context">The node's shared state.</param>
/// <param name="group">The group.</param>
internal sealed class GroupLane(SendContext context, GroupSender group) : SendLane(context)
{
    private readonly MessageSources _sources = new();

    /// <inheritdoc/>
    internal override bool AnyReady => _sources.AnyReady;

    /// <summary>Registers a source.</summary>
    public void Add(IMessageSource source) => _sources.Add(source);

    /// <summary>Removes a source.</summary>
    public void Remove(IMessageSource source) => _sources.Remove(source);

    /// <summary>Marks a source as having messages.</summary>
    public void Signal(IMessageSource source, Instant now)
    {
        if (!_sources.Signal(source)) return;
        Context.Loop.Enter();
        Schedule();
        Context.Loop.Leave(now);
    }

    /// <inheritdoc/>
    internal override GroupSender? Next(Instant now)
    {
        if (!IsCurrent) Take(group.RouteNow(now));
        // Another lane of the group may have computed its route; it is the same one.
        return Route is null ? null : group;
    }

    /// <inheritdoc/>
    internal override bool TryPull(GroupSender next) => _sources.TryPull(this, Context.SourceWriter);

    /// <summary>True while a source may be asked.</summary>
    internal bool MayAsk => HasRoom;

    /// <inheritdoc/>
    private protected override void OnGateChanged(bool open, Instant now) => group.OnGateChanged(open, now);
}

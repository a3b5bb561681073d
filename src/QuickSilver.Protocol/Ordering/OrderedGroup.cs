using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Modes;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Ordering;

/// <summary>One ordered group at this node.</summary>
/// <param name="info">Id, name and mode.</param>
internal sealed class OrderedGroup(GroupInfo info)
{
    private readonly Dictionary<ulong, ulong> _next = [];
    private Ring? _endOf;

    /// <summary>The group's id.</summary>
    public GroupId Id { get; } = info.Id;

    /// <summary>True when this node's messages are safe unless they say otherwise. Its sessions share one sequence, so
    /// a message does not say whose it is: one session that promises it is enough.</summary>
    public bool IsSafe => PromisesSafe(Member) || PromisesSafe(Publisher);

    /// <summary>The session as a member; null when there is none.</summary>
    public ModeSession? Member { get; private set; }

    /// <summary>The session as a publisher; null when there is none.</summary>
    public ModeSession? Publisher { get; private set; }

    /// <summary>The layout whose view the application sees.</summary>
    public GroupLayout Layout { get; private set; } = GroupLayout.None;

    /// <summary>True when no session is left.</summary>
    public bool IsClosed => Member is null && Publisher is null;

    /// <summary>A session begins.</summary>
    public void Open(ModeSession session)
    {
        if (session.IsPublisher)
        {
            Publisher = session;
            return;
        }
        Member = session;
        _next.Clear();
    }

    /// <summary>A session has ended.</summary>
    public void Close(ModeSession session)
    {
        if (session.IsPublisher) Publisher = null;
        else Member = null;
    }

    /// <summary>The application sees another view from now on.</summary>
    public void Show(GroupLayout layout)
    {
        Layout = layout;
        _endOf = null;
    }

    /// <summary>True when the group was told in its present view who goes on from a ring, or need not be.</summary>
    public bool KnowsTransitionOf(Ring ring) => _endOf == ring;

    /// <summary>The group is told who goes on from a ring, or need not be.</summary>
    public void KnowTransitionOf(Ring ring) => _endOf = ring;

    /// <summary>Number of the next message of a sender; 0 before its first.</summary>
    public ulong NextOf(ulong sender) => _next.GetValueOrDefault(sender);

    /// <summary>Messages of a sender up to a number are delivered or lost.</summary>
    public void Advance(ulong sender, ulong next) => _next[sender] = next;

    /// <summary>Nothing more follows of a sender.</summary>
    public void Forget(ulong sender) => _next.Remove(sender);

    /// <summary>True when a message of a step is for the member's session.</summary>
    public bool Takes(ulong term, ulong step) =>
        Member is { IsOpen: true } member && new RingId(term, step) >= RingId.Of(member.Began);

    private static bool PromisesSafe(ModeSession? session) => session?.Settings is OrderedSettings { IsSafe: true };
}

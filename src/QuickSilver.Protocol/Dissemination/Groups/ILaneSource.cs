using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Dissemination.Groups;

/// <summary>
/// The messages of several groups, each group's in their order: what a <see cref="SharedLane"/> asks. Core thread
/// only.
/// </summary>
internal interface ILaneSource
{
    /// <summary>True when the lane is for groups that wait for a step: then the lane waits with them.</summary>
    bool IsWaiting { get; }

    /// <summary>
    /// True when the order is kept among groups, too. All of them go to one outlet (<see cref="ModeOutlet"/>), and the
    /// lane diverts none: one that waits for its step holds the others up.
    /// </summary>
    bool KeepsOrder => false;

    /// <summary>The groups that the message of <see cref="FindNext"/> goes to besides, at once; none but where
    /// <see cref="KeepsOrder"/> holds. Valid until the next call of <see cref="FindNext"/>.</summary>
    IReadOnlyList<GroupSender> Others => [];

    /// <summary>The group of the next message; null when there is none. The answer stands until the next call of any
    /// member.</summary>
    GroupSender? FindNext(Instant now);

    /// <summary>
    /// True when the next message of the group of <see cref="FindNext"/> and the one after it are written, and of one
    /// length.
    /// </summary>
    bool HasAlike { get; }

    /// <summary>
    /// Supplies messages of the group of <see cref="FindNext"/>, in their order, as <see cref="IMessageSource.Write"/>
    /// does. They may pass waiting messages of other groups: no order is promised between groups.
    /// </summary>
    /// <param name="group">The group whose messages are taken.</param>
    /// <param name="messages">The writer.</param>
    /// <returns>True when there are more messages, of any group. False when there are none: the source is asked again
    /// only after a signal.</returns>
    bool Write(GroupSender group, MessageWriter messages);

    /// <summary>
    /// The next message's group does not go the way of the lane. The source takes all messages of the group out, and
    /// supplies them through another lane from now on.
    /// </summary>
    /// <param name="group">The group.</param>
    /// <param name="other">A lane that goes the group's way; null: none is known.</param>
    /// <param name="waits">True when the group has no way yet: it waits for the step that it joins in.</param>
    /// <param name="now">The present instant.</param>
    /// <returns>The lane through which they come now; null when that is not possible yet: the source signals the lane
    /// again.</returns>
    SharedLane? Divert(GroupSender group, SharedLane? other, bool waits, Instant now);

    /// <summary>The lane has shut (false) or opened again (true), as
    /// <see cref="ISenderListener.OnGateChanged"/>.</summary>
    void OnGateChanged(bool open, Instant now);
}

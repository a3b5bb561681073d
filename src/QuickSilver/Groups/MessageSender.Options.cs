using QuickSilver.Protocol.Flow;
using QuickSilver.Runtime;
using QuickSilver.Sending;

namespace QuickSilver;

/// <summary>Sends of messages of which the sender says more than their bytes.</summary>
public abstract partial class MessageSender
{
    /// <summary>Sends a message with options, in groups of <see cref="TimedMode"/> and <see cref="OrderedMode"/>
    /// only. Otherwise as <see cref="SendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="options">What is said of the message.</param>
    /// <param name="cancellationToken">Cancels the wait for admission; the message is then not sent.</param>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group has
    /// not the mode that the options are of. Or the handle has ended by itself; this is the reason.</exception>
    public ValueTask SendAsync(
        ReadOnlyMemory<byte> payload, SendOptions options, CancellationToken cancellationToken = default)
    {
        MessageTraits traits = options.ToTraits(nameof(options));
        if (cancellationToken.IsCancellationRequested) return ValueTask.FromCanceled(cancellationToken);
        if (Handle.HasEnded) return ValueTask.FromException(Handle.EndException());
        GroupCore core = CheckLength(payload.Length);
        if (Refused(core, options.ModeFor(core.Mode), nameof(SendOptions)) is { } refused)
            return ValueTask.FromException(refused);
        return EnterAsync(core, Copy(payload.Span, traits), cancellationToken);
    }

    /// <summary>Sends a message with options if it can be admitted at once, in groups of <see cref="TimedMode"/> only.
    /// Otherwise as <see cref="TrySend(ReadOnlySpan{byte})"/>, but that it throws where the options do not
    /// hold.</summary>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="options">What is said of the message.</param>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group has
    /// not the mode that the options are of.</exception>
    public SendStatus TrySend(ReadOnlySpan<byte> payload, SendOptions options)
    {
        MessageTraits traits = options.ToTraits(nameof(options));
        if (Handle.End is { } end) return end.Reason is null ? SendStatus.Closed : SendStatus.NotMember;
        if (payload.Length > Limit.Bytes) return SendStatus.TooLarge;
        if (Handle.Core is not { } core) return SendStatus.NotMember;
        Require(core, options.ModeFor(core.Mode), nameof(SendOptions));
        if (!core.IsOpen) return SendStatus.Backpressured;
        PooledPayload copy = Copy(payload, traits);
        if (core.TrySend(copy, copy.Length)) return SendStatus.Accepted;
        copy.Return();
        return Handle.HasEnded ? SendStatus.Closed : SendStatus.Backpressured;
    }

    /// <summary>Registers a feed whose messages all have the same options, in groups of <see cref="TimedMode"/> only.
    /// Otherwise as <see cref="RegisterFeed(IMessageFeed)"/>.</summary>
    /// <param name="feed">Called on the core thread, one call at a time, when a message can be sent: what it writes
    /// then is never stale.</param>
    /// <param name="options">What is said of each message.</param>
    /// <returns>Signals and unregisters the feed, from any thread.</returns>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    /// <exception cref="QuickSilverException"><see cref="ErrorCode.RefusedByMode"/>: the group has
    /// not the mode that the options are of. Or the handle has ended by itself; this is the reason.</exception>
    public FeedRegistration RegisterFeed(IMessageFeed feed, SendOptions options)
    {
        ArgumentNullException.ThrowIfNull(feed);
        MessageTraits traits = options.ToTraits(nameof(options));
        GroupCore core = CheckSend(0);
        Require(core, options.ModeFor(core.Mode), nameof(SendOptions));
        return Register(feed, traits);
    }

    /// <summary>Refuses what a group's mode does not promise.</summary>
    private protected static void Require(GroupCore core, GroupMode mode, string what)
    {
        if (Refused(core, mode, what) is { } refused) throw refused;
    }

    private static QuickSilverException? Refused(GroupCore core, GroupMode mode, string what) => core.Mode == mode
        ? null
        : new QuickSilverException(
            ErrorCode.RefusedByMode,
            $"{what} needs a group of mode {mode}, and '{core.Name}' is {core.Mode}: "
            + $"join another group with GroupOptions.Mode = new {mode}Mode(), or do without.");

    private PooledPayload Copy(ReadOnlySpan<byte> payload, in MessageTraits traits)
    {
        PooledPayload copy = Services.SendBuffers.Copy(payload);
        copy.Traits = traits with { Given = Services.Clock.Now };
        return copy;
    }
}

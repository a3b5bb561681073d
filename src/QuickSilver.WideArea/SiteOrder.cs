using System.Runtime.CompilerServices;
using System.Text;
using System.Threading.Channels;
using QuickSilver.Protocol.Sites;
using QuickSilver.Protocol.Sites.Ordering;
using QuickSilver.WideArea.Ordering;

namespace QuickSilver.WideArea;

/// <summary>
/// One order of messages at all members of all sites. A member sends to groups by name, and all members deliver the
/// messages of all these groups in one order, their own included. It keeps each sender's order, and an answer comes
/// after what it answers. Each site has a gateway with <see cref="SiteGatewayOptions.OrdersGroups"/>.
/// <para>
/// A message takes a way to the farthest site and back. While a site of the overlay cannot be reached, nothing is
/// delivered: <see cref="SiteOrderStatistics.WaitsFor"/> names it. Then all goes on, in one order, and nothing is lost
/// while one member of its site lives. With another <see cref="SiteGatewayOptions.CutPolicy"/> sites go on without it,
/// and <see cref="SitesChanged"/> says so at a place of the order.
/// </para>
/// <para>
/// A member that joins gets what comes after its place in the order, not what was before. One whose node is evicted
/// ends with <see cref="NodeEvictedException"/>: join again, and fetch the state from another member.
/// </para>
/// The node stays the caller's. All members may be called from any thread; one reader at a time.
/// Source: third paper, ordered groups; deviation: the order is made by all members alike, not by gateways.
/// </summary>
public sealed class SiteOrder : IAsyncDisposable
{
    /// <summary>Bytes of the longest message.</summary>
    public const int LongestMessage = 60_000;

    private const int MostUnread = 1 << 20;

    private readonly SiteOrderOptions _options;
    private readonly OrderMember _member;
    private readonly CancellationTokenSource _stop = new();
    private readonly Channel<SiteOrderEvent> _events = Channel.CreateUnbounded<SiteOrderEvent>(
        new UnboundedChannelOptions { SingleReader = true, SingleWriter = true });
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private Task _running = Task.CompletedTask;
    private long _delivered;
    private long _unread;
    private long _unreadBytes;
    private int _isDisposed;

    private SiteOrder(QuickSilverNode node, SiteOrderOptions options)
    {
        _options = options;
        _member = new OrderMember(node, options.Level == OrderedLevel.Safe) { OnDelivered = OnDelivered };
    }

    /// <summary>Completes after <see cref="DisposeAsync"/>. Faults when the member ends by itself.</summary>
    public Task Completion => _ended.Task;

    /// <summary>Joins the order, in the ordered group "quicksilver/order" of the node's cluster. Returns when this
    /// member has its place: what members send from then on comes here.</summary>
    /// <param name="node">A node of the site. It stays the caller's.</param>
    /// <param name="options">Copied and validated; null: the defaults.</param>
    /// <param name="cancellationToken">Cancels the join.</param>
    /// <exception cref="ArgumentException">Options are invalid; the message lists every fault.</exception>
    /// <exception cref="QuickSilverException">As of <see cref="QuickSilverNode.JoinAsync"/>.</exception>
    /// <exception cref="InvalidOperationException">The node is in the order already, or has a gateway with
    /// <see cref="SiteGatewayOptions.OrdersGroups"/>.</exception>
    /// <exception cref="OperationCanceledException">The join was cancelled.</exception>
    public static async Task<SiteOrder> JoinAsync(
        QuickSilverNode node, SiteOrderOptions? options = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        SiteOrderOptions copy = (options ?? new SiteOrderOptions()).Copy();
        copy.Check().ThrowIfAny(nameof(options));
        cancellationToken.ThrowIfCancellationRequested();
        var order = new SiteOrder(node, copy);
        order._running = Task.Run(() => order.RunAsync(order._stop.Token), CancellationToken.None);
        try
        {
            Task first = await Task.WhenAny(order._member.HasState, order.Completion).WaitAsync(cancellationToken)
                .ConfigureAwait(false);
            await first.ConfigureAwait(false);
            return order;
        }
        catch
        {
            await order.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Sends a message to a group. Returns when the own cluster has taken it. Waits while the own site has not
    /// begun, and while 2,048 messages or 8 MiB of the site wait for another one.</summary>
    /// <param name="group">Name of the group.</param>
    /// <param name="payload">The bytes, copied before the call returns; at most <see cref="LongestMessage"/>.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="ArgumentException">The name is none of a group.</exception>
    /// <exception cref="PayloadTooLargeException">The message is too long.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the site that the order
    /// waits for.</exception>
    /// <exception cref="ObjectDisposedException">The member has left, or ended by itself.</exception>
    /// <exception cref="QuickSilverException">As of <see cref="MessageSender.SendAsync(ReadOnlyMemory{byte},
    /// CancellationToken)"/>.</exception>
    public ValueTask SendAsync(
        string group, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        Names.ThrowIfNotAGroupName(group, nameof(group));
        if (payload.Length > LongestMessage) throw TooLarge(payload.Length);
        return _member.SendAsync(group, payload, cancellationToken);
    }

    /// <summary>The messages, in the order. One reader at a time.</summary>
    /// <param name="cancellationToken">Ends the reading.</param>
    /// <exception cref="QuickSilverException">The member has ended by itself; this is the reason.</exception>
    public async IAsyncEnumerable<SiteOrderedMessage> ReadAllAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (SiteOrderEvent told in ReadEventsAsync(cancellationToken).ConfigureAwait(false))
        {
            if (told is SiteOrderedMessage message) yield return message;
        }
    }

    /// <summary>The messages, and the places from which other sites take part (<see cref="SitesChanged"/>). One reader
    /// at a time.</summary>
    /// <inheritdoc cref="ReadAllAsync"/>
    public async IAsyncEnumerable<SiteOrderEvent> ReadEventsAsync(
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        await foreach (SiteOrderEvent told in _events.Reader.ReadAllAsync(cancellationToken).ConfigureAwait(false))
        {
            Interlocked.Decrement(ref _unread);
            Interlocked.Add(ref _unreadBytes, -CostOf(told));
            yield return told;
        }
    }

    /// <summary>How the order is, as this member sees it. Allocates a copy.</summary>
    public SiteOrderStatistics GetStatistics() =>
        OrderFigures.Of(_member) with { Delivered = Volatile.Read(ref _delivered) };

    /// <summary>Leaves the order. What was sent is delivered to the others; readers end.</summary>
    public async ValueTask DisposeAsync()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0) return;
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
        _stop.Dispose();
    }

    private static PayloadTooLargeException TooLarge(int length) => new(
        ErrorCode.PayloadTooLarge, $"A message of {length} bytes is too long for the order: {LongestMessage} may be.");

    private static long CostOf(SiteOrderEvent told) => told is SiteOrderedMessage message ? message.Payload.Length : 0;

    private async Task RunAsync(CancellationToken cancellationToken)
    {
        Exception? reason = null;
        try
        {
            await _member.StayAsync(cancellationToken).ConfigureAwait(false);
            reason = new ObjectDisposedException(nameof(QuickSilverNode));
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            reason = null;
        }
        catch (Exception fault)
        {
            reason = fault;
        }
        _events.Writer.TryComplete(reason);
        if (reason is null) _ended.TrySetResult();
        else _ended.TrySetException(reason);
    }

    private void OnDelivered(OrderReplica replica, OrderedEntry entry)
    {
        SiteOrderEvent told = entry.Change is { } change
            ? ToEvent(replica, entry.Place.ToNumber(), change) : ToEvent(replica.Names[entry.Site], entry);
        Interlocked.Increment(ref _delivered);
        long unread = Interlocked.Increment(ref _unread);
        long bytes = Interlocked.Add(ref _unreadBytes, CostOf(told));
        if (unread > MostUnread || bytes > _options.MaxUnreadBytes)
        {
            throw new SlowConsumerException(
                ErrorCode.SlowConsumer, $"{unread} messages of the order wait to be read: more than may.")
            {
                GroupName = RingBody.Group,
                Backlog = unread,
            };
        }
        _events.Writer.TryWrite(told);
    }

    private static SitesChanged ToEvent(OrderReplica replica, ulong place, ViewChange change)
    {
        string[] NamesOf(SiteSet sites) =>
            [.. replica.Names.Where((_, index) => sites.Contains(index)).Order(StringComparer.Ordinal)];
        SiteSet all = replica.Merge!.Agreement.All;
        return new SitesChanged(
            place, replica.Names[replica.Merge.Site], NamesOf(change.Sites), NamesOf(all.Except(change.Sites)),
            NamesOf(change.Together), change.IsBehind);
    }

    private static SiteOrderedMessage ToEvent(string site, OrderedEntry entry)
    {
        ulong place = entry.Place.ToNumber();
        OrderedContent content = entry.Content!;
        RingBody.TryReadContent(content.Body, out string group, out ReadOnlyMemory<byte> payload);
        MemberId.TryParse(Encoding.UTF8.GetString(content.Sender), out MemberId sender);
        var origin = new SiteOrigin(site, sender, Encoding.UTF8.GetString(content.Name), content.Sequence);
        return new SiteOrderedMessage(place, origin, group, payload);
    }
}

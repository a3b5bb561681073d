using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;

namespace QuickSilver.Typed;

/// <summary>
/// Requests and replies between the members of a group. A request goes to all members; each answers by its responder,
/// or at once that it has none. Replies travel in the group, since the protocol has no message to one member: others
/// drop them after a look at their headers. So a request to n members costs the group 1 + n messages. Any thread.
/// </summary>
/// <typeparam name="TRequest">Type of the requests.</typeparam>
/// <typeparam name="TReply">Type of the replies.</typeparam>
public sealed class RequestGroup<TRequest, TReply> : IAsyncDisposable
{
    private const string AskHeader = "request";
    private const string ReplyHeader = "reply-to";
    private const string AskerHeader = "asker";
    private const string ErrorHeader = "error";
    private const string NoResponder = "none";
    private const int LongestError = 1000;

    private readonly IPayloadSerializer<TRequest> _requests;
    private readonly IPayloadSerializer<TReply> _replies;
    private readonly Func<TypedMessage<TRequest>, CancellationToken, ValueTask<TReply>>? _responder;
    private readonly RequestGroupOptions _options;
    private readonly ConcurrentDictionary<long, PendingRequest<TReply>> _pending = new();
    private readonly CancellationTokenSource _ending = new();
    private readonly SemaphoreSlim _room;
    private readonly Task _reading;
    private (MemberId Id, string Text) _self;
    private long _last;
    private long _undeserialized;

    internal RequestGroup(
        Group raw,
        IPayloadSerializer<TRequest> requests,
        IPayloadSerializer<TReply> replies,
        Func<TypedMessage<TRequest>, CancellationToken, ValueTask<TReply>>? responder,
        RequestGroupOptions options)
    {
        Raw = raw;
        _requests = requests;
        _replies = replies;
        _responder = responder;
        _options = options;
        _room = new SemaphoreSlim(options.MaxConcurrency);
        _reading = ReadAsync(raw.ReadEventsAsync(CancellationToken.None));
        // Requests tell of its end; nobody else needs to look at it.
        _ = _reading.ContinueWith(static end => _ = end.Exception, TaskScheduler.Default);
    }

    /// <summary>The handle, for all that needs no values. It has a reader already.</summary>
    public Group Raw { get; }

    /// <summary>Number of messages that were neither requests nor replies, or no values. A request that is no value is
    /// answered with an error, and such a reply is one.</summary>
    public long UndeserializedMessages => Volatile.Read(ref _undeserialized);

    /// <summary>Asks all members of the view, and waits for their answers.</summary>
    /// <param name="request">The request.</param>
    /// <param name="replies">How many values are enough: 1 for the first. An error is an answer, but no value: others
    /// are waited for. Null (default): the answers of all members with a responder.</param>
    /// <param name="timeout">Limit of the wait for answers, of up to 12 hours; null:
    /// <see cref="RequestGroupOptions.Timeout"/>.</param>
    /// <param name="cancellationToken">Cancels the wait; the request may have been sent.</param>
    /// <returns>The answers so far, and the members that did not answer. A member that leaves the view is not waited
    /// for.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="replies"/> or <paramref name="timeout"/> is out of
    /// its range; nothing was sent.</exception>
    /// <exception cref="PayloadSerializationException">The serializer threw; nothing was sent.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The group was left.</exception>
    /// <exception cref="QuickSilverException">The handle has ended by itself; this is the reason.</exception>
    public async Task<ReplySet<TReply>> RequestAsync(
        TRequest request,
        int? replies = null,
        TimeSpan? timeout = null,
        CancellationToken cancellationToken = default)
    {
        if (replies is { } least) ArgumentOutOfRangeException.ThrowIfLessThan(least, 1, nameof(replies));
        TimeSpan limit = timeout ?? _options.Timeout;
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(limit, TimeSpan.Zero, nameof(timeout));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(limit, RequestGroupOptions.LongestTimeout, nameof(timeout));
        long number = Interlocked.Increment(ref _last);
        IReadOnlyList<Member> members = Raw.View.Members;
        var pending = new PendingRequest<TReply>(members, replies ?? int.MaxValue);
        _pending[number] = pending;
        try
        {
            if (_reading.IsCompleted) await _reading.ConfigureAwait(false);
            if (_ending.IsCancellationRequested) throw Left();
            await SendAsync(_requests, request, Headers((AskHeader, Text(number))), cancellationToken)
                .ConfigureAwait(false);
            // Who left before the request was known to the reader.
            GroupView now = Raw.View;
            foreach (Member member in members)
            {
                if (now.Find(member.Id) is null) pending.OnLeft(member);
            }
            // The timer goes with the wait.
            Task answered = pending.Task;
            await answered.WaitAsync(limit, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!answered.IsCompleted)
            {
                cancellationToken.ThrowIfCancellationRequested();
                pending.End();
            }
            return await pending.Task.ConfigureAwait(false);
        }
        finally
        {
            _pending.TryRemove(number, out _);
        }
    }

    /// <summary>Leaves the group. Requests under way end with an <see cref="ObjectDisposedException"/>; the token of
    /// responders is cancelled.</summary>
    public async ValueTask DisposeAsync()
    {
        await _ending.CancelAsync().ConfigureAwait(false);
        await Raw.DisposeAsync().ConfigureAwait(false);
        await _reading.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    /// <summary>Name of the group and of the node, for logs.</summary>
    public override string ToString() => Raw.ToString();

    // The only reader of the handle. Its end ends what waits.
    private async Task ReadAsync(IAsyncEnumerable<GroupEvent> events)
    {
        Exception end = Left();
        try
        {
            await foreach (GroupEvent happened in events.ConfigureAwait(false))
            {
                if (happened is MessageReceived received) await TakeAsync(received.Message).ConfigureAwait(false);
                if (happened is not ViewChanged change) continue;
                foreach (Member member in change.GetLeft())
                {
                    foreach (PendingRequest<TReply> pending in _pending.Values) pending.OnLeft(member);
                }
            }
        }
        catch (QuickSilverException reason)
        {
            end = reason;
            throw;
        }
        finally
        {
            foreach (PendingRequest<TReply> pending in _pending.Values) pending.Fail(end);
            await _ending.CancelAsync().ConfigureAwait(false);
        }
    }

    private async ValueTask TakeAsync(Message message)
    {
        try
        {
            int start = Envelope.Read(message.Payload.Span, out MessageHeaders? headers);
            if (headers is null) throw new FormatException("It is neither request nor reply.");
            if (headers.TryGetValue(ReplyHeader, out string? answered)) OnReply(message, start, headers, answered);
            else if (headers.TryGetValue(AskHeader, out string? number))
                await OnRequestAsync(message, start, headers, number).ConfigureAwait(false);
            else throw new FormatException("It is neither request nor reply.");
        }
        catch (OperationCanceledException) when (_ending.IsCancellationRequested)
        {
            // The group is being left: the asker sees this member leave.
        }
        catch (Exception fault) when (fault is not (QuickSilverException or ObjectDisposedException))
        {
            Interlocked.Increment(ref _undeserialized);
        }
    }

    private void OnReply(Message message, int start, MessageHeaders headers, string answered)
    {
        if (!headers.TryGetValue(AskerHeader, out string? asker) || asker != SelfText()) return;
        if (!long.TryParse(answered, NumberStyles.None, CultureInfo.InvariantCulture, out long number)) return;
        if (!_pending.TryGetValue(number, out PendingRequest<TReply>? pending)) return;
        if (!headers.TryGetValue(ErrorHeader, out string? error))
        {
            string? unread = TryRead(_replies, message.Payload[start..], out TReply? value, out string? why)
                ? null : $"The reply could not be read: {why}";
            pending.OnReply(message.Sender, member => new Reply<TReply>(member, value, unread));
        }
        else if (error == NoResponder) pending.OnNoResponder(message.Sender);
        else pending.OnReply(message.Sender, member => new Reply<TReply>(member, default, error));
    }

    private async ValueTask OnRequestAsync(Message message, int start, MessageHeaders headers, string number)
    {
        if (_responder is null)
        {
            await AnswerAsync(message, number, default, NoResponder).ConfigureAwait(false);
            return;
        }
        if (!TryRead(_requests, message.Payload[start..], out TRequest? request, out string? why))
        {
            // Without an answer the asker would wait for all its time.
            await AnswerAsync(message, number, default, $"The request could not be read: {why}").ConfigureAwait(false);
            return;
        }
        if (!await _room.WaitAsync(TimeSpan.Zero).ConfigureAwait(false))
        {
            // Waiting here would hold up the replies that a responder may wait for.
            string busy = $"Busy: {_options.MaxConcurrency} requests are being handled.";
            await AnswerAsync(message, number, default, busy).ConfigureAwait(false);
            return;
        }
        _ = RespondAsync(
            message,
            number,
            new TypedMessage<TRequest>(request!, message.Sender, message.SenderName, message.Sequence, headers));
    }

    private bool TryRead<T>(
        IPayloadSerializer<T> serializer, ReadOnlyMemory<byte> payload, out T? value,
        [NotNullWhen(false)] out string? why)
    {
        try
        {
            value = serializer.Deserialize(payload);
            why = null;
            return true;
        }
        catch (Exception fault)
        {
            Interlocked.Increment(ref _undeserialized);
            value = default;
            why = TextOf(fault);
            return false;
        }
    }

    // Runs beside the reading: a slow responder holds up neither replies nor other requests.
    private async Task RespondAsync(Message message, string number, TypedMessage<TRequest> request)
    {
        await Task.Yield();
        try
        {
            TReply? value = default;
            string? error = null;
            try
            {
                value = await _responder!(request, _ending.Token).ConfigureAwait(false);
            }
            catch (Exception fault)
            {
                error = TextOf(fault);
            }
            await AnswerAsync(message, number, value, error).ConfigureAwait(false);
        }
        catch (Exception fault) when (
            fault is QuickSilverException or ObjectDisposedException or OperationCanceledException)
        {
            // The group has ended: the asker sees this member leave.
        }
        finally
        {
            _room.Release();
        }
    }

    private async Task AnswerAsync(Message message, string number, TReply? value, string? error)
    {
        (string, string)[] address = [(ReplyHeader, number), (AskerHeader, message.Sender.ToString())];
        if (error is null)
        {
            try
            {
                await SendAsync(_replies, value!, Headers(address), _ending.Token).ConfigureAwait(false);
                return;
            }
            catch (PayloadSerializationException fault)
            {
                error = fault.Message;
            }
            catch (PayloadTooLargeException fault)
            {
                error = fault.Message;
            }
        }
        await SendAsync<TReply>(null, default!, Headers([.. address, (ErrorHeader, Plain(error))]), _ending.Token)
            .ConfigureAwait(false);
    }

    private ValueTask SendAsync<T>(
        IPayloadSerializer<T>? serializer, T value, MessageHeaders headers, CancellationToken cancellationToken) =>
        Raw.SendAsync(
            512,
            (Serializer: serializer, Value: value, Headers: headers, Raw.Name),
            static (writer, message) =>
            {
                Envelope.Write(writer, message.Headers);
                try
                {
                    message.Serializer?.Serialize(message.Value, writer);
                }
                catch (Exception fault) when (fault is not QuickSilverException)
                {
                    throw new PayloadSerializationException(message.Name, typeof(T), fault);
                }
            },
            cancellationToken);

    // The names are few and differ; the values are short texts.
    private static MessageHeaders Headers(params ReadOnlySpan<(string Name, string Value)> entries)
    {
        var headers = new KeyValuePair<string, string>[entries.Length];
        for (int index = 0; index < entries.Length; index++)
            headers[index] = KeyValuePair.Create(entries[index].Name, entries[index].Value);
        return MessageHeaders.Trusted(headers);
    }

    // A node that returns after an eviction has another id.
    private string SelfText()
    {
        MemberId self = Raw.Node.Id;
        (MemberId Id, string Text) known = _self;
        if (known.Id == self && known.Text is not null) return known.Text;
        _self = (self, self.ToString());
        return _self.Text;
    }

    private ObjectDisposedException Left() =>
        new(nameof(RequestGroup<,>), $"The request group '{Raw.Name}' has been left: join it again for another.");

    // A header is UTF-8 of some length; what an exception says may be anything.
    private static string Plain(string error) => Encoding.UTF8.GetString(
        Encoding.UTF8.GetBytes(error.Length > LongestError ? error[..LongestError] : error));

    private static string TextOf(Exception fault) => $"{fault.GetType().Name}: {fault.Message}";

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}

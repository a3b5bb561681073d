using QuickSilver.WideArea.Telling;

namespace QuickSilver.WideArea;

/// <summary>
/// Which sites have members of which groups and how they are reached, on any node of a site, and sends that other
/// sites confirm. The active gateway of the site tells it, in the group "quicksilver/sites", while a node has one open.
/// <para>
/// It is late by the way between the sites, and by some tenths of a second at gateways. Three seconds after the gateway
/// fell silent no other site counts as reached, until another gateway tells. After an eviction of the node open
/// another. All members may be called from any thread.
/// </para>
/// </summary>
public sealed class SiteView : IAsyncDisposable
{
    private static readonly TimeSpan LookPause = TimeSpan.FromMilliseconds(500);

    private readonly PlaceTable _places = new();
    private readonly OpenQuestions _questions = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _asking = Task.CompletedTask;
    private Group? _group;

    private SiteView()
    {
    }

    /// <summary>Name of the own site; null until a gateway was heard.</summary>
    public string? Site => _places.Own;

    /// <summary>True while a gateway of the site is heard.</summary>
    public bool HasGateway => _places.HasGateway;

    /// <summary>Joins the group in which gateways tell.</summary>
    /// <param name="node">The node that wants to know.</param>
    /// <param name="cancellationToken">Cancels the join.</param>
    /// <exception cref="QuickSilverException">As of <see cref="QuickSilverNode.JoinAsync"/>.</exception>
    public static async Task<SiteView> OpenAsync(QuickSilverNode node, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(node);
        var view = new SiteView();
        var options = new GroupOptions { OnMessage = view.OnMessage, BufferBeforeFirstRead = false };
        view._group = await node.JoinAsync(SiteTelling.GroupName, options, cancellationToken).ConfigureAwait(false);
        view._asking = Task.Run(view.AskAsync, CancellationToken.None);
        return view;
    }

    /// <summary>The sites of a group, the own one included, in the order of their names; empty until the gateway has
    /// told, and for a group that is not one of its <see cref="SiteGatewayOptions.Groups"/>. Allocates a
    /// list.</summary>
    /// <param name="group">Name of the group.</param>
    public IReadOnlyList<SiteMembers> Of(string group)
    {
        ArgumentNullException.ThrowIfNull(group);
        return _places.Of(group);
    }

    /// <summary>How the gateway reaches each other site, and the figures of its links, in the order of their names. A
    /// second old at most; empty until the gateway has told, and while none is heard. Allocates a list.</summary>
    public IReadOnlyList<SiteRoute> GetRoutes() => _places.Routes();

    /// <summary>Completes when a group has members at a site, and what this site's members send from then on goes
    /// there. At once when it is so already.</summary>
    /// <param name="group">Name of the group.</param>
    /// <param name="site">Name of the site.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message says what is known of the site.
    /// </exception>
    public async Task WaitForMembersAsync(string group, string site, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(group);
        ArgumentNullException.ThrowIfNull(site);
        while (true)
        {
            Task changed = _places.Changed;
            SiteMembers? now = _places.Of(group).FirstOrDefault(place => place.Site == site);
            if (now is { Receives: true, Count: > 0 }) return;
            await changed.WaitAsync(cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!cancellationToken.IsCancellationRequested) continue;
            string what = !HasGateway ? "no gateway of the own site is heard"
                : now is null ? "nothing is known of it"
                : $"it has {now.Count} members, and is {(now.IsReached ? "" : "not ")}reached";
            throw new OperationCanceledException(
                $"The wait for members of '{group}' at site '{site}' was cancelled: {what}.", cancellationToken);
        }
    }

    /// <summary>Reads what is known of all groups, then each change. A reader that falls more than 1,024 changes behind
    /// misses the oldest; <see cref="Of"/> has the latest.</summary>
    /// <param name="cancellationToken">Ends the enumeration.</param>
    /// <exception cref="OperationCanceledException">The enumeration was cancelled.</exception>
    public IAsyncEnumerable<SiteMembers> ReadChangesAsync(CancellationToken cancellationToken = default) =>
        _places.ReadAsync(cancellationToken);

    /// <summary>
    /// Sends a message, and waits until all members of the own view hold it, and each other site with members of the
    /// group has it published and held by all members there; or until it is known that a site does not get it. A site
    /// that is cut off is waited for up to its gateway's <see cref="SiteGatewayOptions.HoldTime"/>. A gateway that
    /// takes over answers in place of the one before.
    /// <para>
    /// The first of a group takes a round trip more, since other sites are asked to acknowledge no sooner than all
    /// members hold: they do so from then on. Each call costs a question and an answer in the site's group of gateways.
    /// </para>
    /// </summary>
    /// <param name="group">A handle of the node on a group that spans sites.</param>
    /// <param name="payload">The message; copied before the call returns.</param>
    /// <param name="cancellationToken">Cancels the wait only: an admitted message is sent in any case.</param>
    /// <returns>Which sites hold it. Without a gateway, or for a group that does not span sites,
    /// <see cref="SiteConfirmation.Result"/> says so.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled; the message names the sites that it waited
    /// for, once the own site holds it.</exception>
    /// <exception cref="ObjectDisposedException">This view, or the handle, was disposed of meanwhile.</exception>
    /// <exception cref="QuickSilverException">As of
    /// <see cref="MessageSender.SendConfirmedAsync(ReadOnlyMemory{byte}, CancellationToken)"/>, or the node was evicted
    /// before other sites have confirmed.</exception>
    public async Task<SiteConfirmation> SendConfirmedAsync(
        MessageSender group, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(group);
        DeliveryReport own = await group.SendConfirmedAsync(payload, cancellationToken).ConfigureAwait(false);
        using var ended = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
        OpenQuestion question = _questions.Open(own.Sequence, group.Name);
        try
        {
            SiteConfirmationResult result = await question
                .AskAsync(_group!, () => _places.SilentSince, ended.Token).ConfigureAwait(false);
            return new SiteConfirmation(own, result, question.Sites);
        }
        catch (OperationCanceledException)
        {
            ObjectDisposedException.ThrowIf(!cancellationToken.IsCancellationRequested, this);
            IEnumerable<string> missing = question.Sites.Where(static one => one.State == SiteReceiptState.Waiting)
                .Select(static one => one.Site);
            throw new OperationCanceledException(
                $"{nameof(SendConfirmedAsync)} was cancelled. The own site holds the message. Waited for sites: "
                + $"{string.Join(", ", missing.DefaultIfEmpty("not told yet"))}.", cancellationToken);
        }
        finally
        {
            _questions.Close(question);
        }
    }

    /// <summary>Leaves the group. Calls that wait end.</summary>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _asking.ConfigureAwait(false);
        _places.End();
        await _group!.DisposeAsync().ConfigureAwait(false);
    }

    internal void OnMessage(in MessageRef message)
    {
        switch (TellingHead.KindOf(message.Payload))
        {
            case TellingKind.Alive when AliveBody.TryRead(message.Payload, out AliveBody alive):
                _places.OnAlive(alive);
                break;
            case TellingKind.Place when PlaceBody.TryRead(message.Payload, out PlaceBody place):
                _places.OnPlace(place);
                break;
            case TellingKind.Site when SiteBody.TryRead(message.Payload, out SiteBody site):
                _places.OnSite(site);
                break;
            case TellingKind.Answer when AnswerBody.TryRead(message.Payload, out AnswerBody answer):
                _questions.OnAnswer(answer);
                break;
        }
    }

    // Says that this node wants to know: all at once while no gateway is heard, else seldom.
    private async Task AskAsync()
    {
        const int LooksOfHello = 8;
        for (int look = 0; !_stop.IsCancellationRequested; look++)
        {
            _places.Look();
            bool isFirst = !_places.HasGateway;
            if (isFirst || look % LooksOfHello == 0) _ = _group!.TrySend(HelloBody.Write(isFirst));
            await Task.Delay(LookPause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}

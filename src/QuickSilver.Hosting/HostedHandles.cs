namespace QuickSilver.Hosting;

/// <summary>The groups, publishers and inboxes of one hosted node: those that are registered, and those that the
/// application opened at run time and has not ended. Any thread.</summary>
internal sealed class HostedHandles
{
    private readonly NodeRegistration _registration;
    private readonly Dictionary<string, HostedGroup> _groups = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HostedPublisher> _publishers = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HostedInbox> _inboxes = new(StringComparer.Ordinal);
    private readonly Dictionary<string, HostedRequests> _requests = new(StringComparer.Ordinal);
    private readonly HashSet<HostedSender> _opened = [];
    private bool _isClosed;

    /// <summary>Creates what is registered, without handles.</summary>
    public HostedHandles(NodeRegistration registration)
    {
        _registration = registration;
        foreach (InboxRegistration inbox in registration.Inboxes) _inboxes.Add(inbox.Name, new HostedInbox(inbox));
        foreach (GroupRegistration group in registration.Groups) _groups.Add(group.Name, group.Create());
        foreach (PublisherRegistration publisher in registration.Publishers)
            _publishers.Add(publisher.Name, publisher.Create());
        foreach (RequestRegistration requests in registration.RequestsWithResponders())
            _requests.TryAdd(requests.Name, requests.Create());
    }

    /// <summary>The registered groups.</summary>
    public IReadOnlyCollection<HostedGroup> Groups => _groups.Values;

    /// <summary>The registered publishers.</summary>
    public IReadOnlyCollection<HostedPublisher> Publishers => _publishers.Values;

    /// <summary>The registered request groups.</summary>
    public IReadOnlyCollection<HostedRequests> Requests => _requests.Values;

    /// <summary>All groups and publishers.</summary>
    public IReadOnlyList<HostedSender> Senders
    {
        get
        {
            lock (_opened) return [.. _groups.Values, .. _publishers.Values, .. _opened];
        }
    }

    /// <summary>Returns a registered group.</summary>
    public HostedGroup Group(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _groups.TryGetValue(name, out HostedGroup? group)
            ? group
            : throw new ArgumentException(
                $"No group '{name}' is registered at this node: call AddGroup(\"{name}\").", nameof(name));
    }

    /// <summary>Returns a registered group of values.</summary>
    public IQuickSilverGroup<T> Group<T>(string name) =>
        Group(name) as IQuickSilverGroup<T> ?? throw OtherValues<T>("group", name);

    /// <summary>Returns a registered publisher.</summary>
    public HostedPublisher Publisher(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _publishers.TryGetValue(name, out HostedPublisher? publisher)
            ? publisher
            : throw new ArgumentException(
                $"No publisher of '{name}' is registered at this node: call AddPublisher(\"{name}\").", nameof(name));
    }

    /// <summary>Returns a registered publisher of values.</summary>
    public IQuickSilverPublisher<T> Publisher<T>(string name) =>
        Publisher(name) as IQuickSilverPublisher<T> ?? throw OtherValues<T>("publisher of", name);

    /// <summary>Returns a registered inbox.</summary>
    public HostedInbox Inbox(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _inboxes.TryGetValue(name, out HostedInbox? inbox)
            ? inbox
            : throw new ArgumentException(
                $"No inbox '{name}' is registered at this node: call AddInbox(\"{name}\").", nameof(name));
    }

    /// <summary>Returns a registered request group.</summary>
    public IQuickSilverRequestGroup<TRequest, TReply> Requesting<TRequest, TReply>(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        return _requests.GetValueOrDefault(name) as IQuickSilverRequestGroup<TRequest, TReply>
            ?? throw new ArgumentException(
                $"No request group '{name}' of these types is registered at this node: call AddRequestGroup.",
                nameof(name));
    }

    /// <summary>Gives a group the inbox that its options name.</summary>
    public void Connect(HostedGroup group)
    {
        if (group.Registration.Options.Inbox is { } inbox) group.Inbox = Inbox(inbox);
    }

    /// <summary>Throws if the options of a group that is joined at run time have mistakes.</summary>
    public void Check(GroupRegistration group) => Check(_registration.FindingsOf(group));

    /// <summary>Throws if options have mistakes.</summary>
    public static void Check(IEnumerable<string> findings)
    {
        string all = string.Join("; ", findings.Select(static finding => finding.TrimStart('.')));
        if (all.Length > 0) throw new ArgumentException(all, "configure");
    }

    /// <summary>Adds what the application opens at run time.</summary>
    /// <exception cref="ObjectDisposedException">The host ends.</exception>
    public void Add(HostedSender opened)
    {
        lock (_opened)
        {
            ObjectDisposedException.ThrowIf(_isClosed, typeof(IQuickSilverNode));
            _opened.Add(opened);
        }
    }

    /// <summary>Removes what the application has ended.</summary>
    public void Remove(HostedSender opened)
    {
        lock (_opened) _opened.Remove(opened);
    }

    /// <summary>Lets nothing more be opened at run time.</summary>
    public void Close()
    {
        lock (_opened) _isClosed = true;
    }

    /// <summary>Ends all for good: calls get the reason.</summary>
    public async Task EndAsync(Exception reason)
    {
        foreach (HostedSender sender in Senders) sender.End(reason);
        EndInboxes(reason);
        foreach (HostedRequests requests in _requests.Values) await requests.EndAsync(reason).ConfigureAwait(false);
    }

    /// <summary>Ends the inboxes: none follows.</summary>
    public void EndInboxes(Exception reason)
    {
        foreach (HostedInbox inbox in _inboxes.Values) inbox.End(reason);
    }

    private static ArgumentException OtherValues<T>(string what, string name) => new(
        $"The {what} '{name}' has no values of type {typeof(T).Name}: it was registered otherwise.", nameof(name));
}

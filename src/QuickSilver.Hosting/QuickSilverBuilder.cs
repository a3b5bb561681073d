using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;
using QuickSilver.Typed;
using QuickSilver.WideArea;

namespace QuickSilver.Hosting;

/// <summary>Registers the groups, handlers and health check of one node. Mistakes are findings of the options'
/// validation at the start of the host, all at once. For the time before the host is built; one thread.</summary>
public sealed class QuickSilverBuilder
{
    private readonly NodeRegistration _registration;

    internal QuickSilverBuilder(IServiceCollection services, NodeRegistration registration)
    {
        Services = services;
        _registration = registration;
    }

    /// <summary>The services of the host.</summary>
    public IServiceCollection Services { get; }

    /// <summary>The key of the node's services; null for the node of
    /// <see cref="QuickSilverServiceCollectionExtensions.AddQuickSilver(IServiceCollection,
    /// Action{QuickSilverOptions})"/>.</summary>
    public string? Key => _registration.Key;

    /// <summary>Registers a group that the node joins at its start, and again after an eviction or a slow reader.
    /// Inject <see cref="IQuickSilverGroup"/> with the group's name as its key, or ask
    /// <see cref="IQuickSilverNode.GetGroup"/>. The same name may be registered again with the same options.</summary>
    /// <param name="name">Name of the group, as in <see cref="QuickSilverNode.JoinAsync"/>.</param>
    /// <param name="configure">Sets the options of the group, after those of the section <c>Groups:NAME</c> within the
    /// node's section.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">The name is empty. Other mistakes are found by the start of the
    /// host.</exception>
    public QuickSilverBuilder AddGroup(string name, Action<HostedGroupOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (_registration.Add(new GroupRegistration(name, configure))) AddKeyed(name, Group);
        return this;
    }

    /// <summary>Registers a group of values, serialized by System.Text.Json. Inject <see cref="IQuickSilverGroup{T}"/>
    /// with the group's name as its key. Otherwise as the overload above.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddGroup<T>(
        string name, JsonTypeInfo<T> json, Action<HostedGroupOptions>? configure = null) =>
        AddGroup(name, new JsonPayloadSerializer<T>(json), configure);

    /// <summary>Registers a group of values with a serializer of one's own. Otherwise as the overload above.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes and back.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddGroup<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedGroupOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(serializer);
        if (!_registration.Add(new TypedGroupRegistration<T>(name, configure, serializer))) return this;
        AddKeyed(name, Group);
        AddKeyed(name, static (node, name) => node.GetGroup<T>(name));
        return this;
    }

    /// <summary>Registers a publisher that the node opens at its start, and again after an eviction: it sends to the
    /// group, and the node is no member of it. Inject <see cref="IQuickSilverPublisher"/> with the group's name as its
    /// key, or ask <see cref="IQuickSilverNode.GetPublisher"/>. The same name may be registered again with the same
    /// options, and as a group besides.</summary>
    /// <param name="name">Name of the group, as in <see cref="QuickSilverNode.OpenPublisherAsync"/>.</param>
    /// <param name="configure">Sets the options of the publisher, after those of the section <c>Publishers:NAME</c>
    /// within the node's section.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">The name is empty. Other mistakes are found by the start of the
    /// host.</exception>
    public QuickSilverBuilder AddPublisher(string name, Action<HostedPublisherOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (_registration.Add(new PublisherRegistration(name, configure))) AddKeyed(name, Publisher);
        return this;
    }

    /// <summary>Registers a publisher of values, serialized by System.Text.Json. Inject
    /// <see cref="IQuickSilverPublisher{T}"/> with the group's name as its key. Otherwise as the overload
    /// above.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="json">Metadata of the type, made by the source generator of System.Text.Json.</param>
    /// <param name="configure">Sets the options of the publisher.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddPublisher<T>(
        string name, JsonTypeInfo<T> json, Action<HostedPublisherOptions>? configure = null) =>
        AddPublisher(name, new JsonPayloadSerializer<T>(json), configure);

    /// <summary>Registers a publisher of values with a serializer of one's own. Otherwise as the overload
    /// above.</summary>
    /// <typeparam name="T">Type of the values.</typeparam>
    /// <param name="name">Name of the group.</param>
    /// <param name="serializer">Turns values into bytes.</param>
    /// <param name="configure">Sets the options of the publisher.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddPublisher<T>(
        string name, IPayloadSerializer<T> serializer, Action<HostedPublisherOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(serializer);
        if (!_registration.Add(new TypedPublisherRegistration<T>(name, configure, serializer))) return this;
        AddKeyed(name, Publisher);
        AddKeyed(name, static (node, name) => node.GetPublisher<T>(name));
        return this;
    }

    /// <summary>Registers an inbox that groups of the node share (<see cref="HostedGroupOptions.Inbox"/>): one reader
    /// over all of them, which goes on across evictions. Inject <see cref="IQuickSilverInbox"/> with the inbox's name
    /// as its key, or ask <see cref="IQuickSilverNode.GetInbox"/>.</summary>
    /// <param name="name">Name of the inbox.</param>
    /// <param name="configure">Sets the options of the inbox, after those of the section <c>Inboxes:NAME</c> within the
    /// node's section.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">The name is empty. Other mistakes are found by the start of the
    /// host.</exception>
    public QuickSilverBuilder AddInbox(string name, Action<InboxOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (_registration.Add(new InboxRegistration(name, configure)))
            AddKeyed(name, static (node, name) => node.GetInbox(name));
        return this;
    }

    /// <summary>
    /// Registers a handler of a group. <typeparamref name="THandler"/> is a class that implements
    /// <see cref="IMessageHandler"/>, <see cref="IMessageHandler{T}"/> for a group of values, or
    /// <see cref="IInlineMessageHandler"/>, and is added to the container unless it is
    /// there; an interface or abstract class must have been registered by the application. Several handlers of a group
    /// are called in turn, in the order of registration.
    /// </summary>
    /// <typeparam name="THandler">The handler.</typeparam>
    /// <param name="group">Name of a group of this node, registered before or after.</param>
    /// <param name="scopePerMessage">Whether each message gets a service scope and a handler of its own. False: one
    /// handler for the life of the host. True is refused for an inline handler.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddHandler<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] THandler>(
        string group, bool scopePerMessage = false)
        where THandler : class
    {
        ArgumentException.ThrowIfNullOrEmpty(group);
        Type type = typeof(THandler);
        if (type is { IsClass: true, IsAbstract: false })
        {
            if (scopePerMessage) Services.TryAddScoped<THandler>();
            else Services.TryAddSingleton<THandler>();
        }
        _registration.Handlers.Add(new HandlerRegistration(group, type, scopePerMessage));
        return this;
    }

    /// <summary>Registers a request group that the node joins at its start, and again after an eviction or a slow
    /// reader, serialized by System.Text.Json. Inject <see cref="IQuickSilverRequestGroup{TRequest, TReply}"/> with the
    /// group's name as its key.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="name">Name of the group; no other group of the node has it.</param>
    /// <param name="requests">Metadata of the requests, made by the source generator of System.Text.Json.</param>
    /// <param name="replies">Metadata of the replies.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddRequestGroup<TRequest, TReply>(
        string name,
        JsonTypeInfo<TRequest> requests,
        JsonTypeInfo<TReply> replies,
        Action<RequestGroupOptions>? configure = null) => AddRequestGroup(
            name, new JsonPayloadSerializer<TRequest>(requests), new JsonPayloadSerializer<TReply>(replies), configure);

    /// <summary>Registers a request group with serializers of one's own. Otherwise as the overload above.</summary>
    /// <typeparam name="TRequest">Type of the requests.</typeparam>
    /// <typeparam name="TReply">Type of the replies.</typeparam>
    /// <param name="name">Name of the group; no other group of the node has it.</param>
    /// <param name="requests">Serializes requests.</param>
    /// <param name="replies">Serializes replies.</param>
    /// <param name="configure">Sets the options of the group.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddRequestGroup<TRequest, TReply>(
        string name,
        IPayloadSerializer<TRequest> requests,
        IPayloadSerializer<TReply> replies,
        Action<RequestGroupOptions>? configure = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        ArgumentNullException.ThrowIfNull(requests);
        ArgumentNullException.ThrowIfNull(replies);
        var options = new RequestGroupOptions();
        configure?.Invoke(options);
        _registration.Requests.Add(new RequestRegistration<TRequest, TReply>(name, requests, replies, options));
        AddKeyed(name, static (node, name) => node.GetRequestGroup<TRequest, TReply>(name));
        return this;
    }

    /// <summary>Registers what answers the requests of a request group at this node: a class that implements
    /// <see cref="IResponder{TRequest, TReply}"/>, added to the container unless it is there.</summary>
    /// <typeparam name="TResponder">The responder.</typeparam>
    /// <param name="group">Name of a request group of this node, registered before or after.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddResponder<
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors)] TResponder>(string group)
        where TResponder : class
    {
        ArgumentException.ThrowIfNullOrEmpty(group);
        if (typeof(TResponder) is { IsClass: true, IsAbstract: false }) Services.TryAddSingleton<TResponder>();
        _registration.Responders.Add((group, typeof(TResponder)));
        return this;
    }

    /// <summary>Registers a gateway beside the node: it joins the groups of its site to those of other sites. It starts
    /// after the node has joined its groups, and ends before the node. Inject <see cref="IQuickSilverGateway"/>, with
    /// the node's key if it has one. Give it a node of its own (<see cref="SiteGateway"/>); the member nodes of the
    /// site need nothing. A second call adds to the same gateway.</summary>
    /// <param name="configure">Sets its options, after those of the section <c>Gateway</c> within the node's
    /// section.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddSiteGateway(Action<SiteGatewayOptions>? configure = null)
    {
        if (_registration.Gateway is null)
        {
            _registration.Gateway = new GatewayRegistration();
            if (Key is null)
            {
                Services.AddSingleton<IQuickSilverGateway>(
                    static provider => provider.GetRequiredService<HostedNode>().Gateway!);
            }
            else
            {
                Services.AddKeyedSingleton<IQuickSilverGateway>(
                    Key, static (provider, own) => provider.GetRequiredKeyedService<HostedNode>(own).Gateway!);
            }
        }
        if (configure is not null) _registration.Gateway.Configure(configure);
        return this;
    }

    /// <summary>Adds a health check of the node, tagged "ready": a node that is away from its cluster should get no
    /// traffic, and a restart would not help it. Each call looks afresh. See docs/services.md for the states.</summary>
    /// <param name="name">Name of the check. Null: "quicksilver", with the key after it for a keyed node.</param>
    /// <param name="configure">Sets the limits of the check.</param>
    /// <returns>This instance.</returns>
    public QuickSilverBuilder AddHealthCheck(string? name = null, Action<QuickSilverHealthOptions>? configure = null)
    {
        var options = new QuickSilverHealthOptions();
        configure?.Invoke(options);
        name ??= Key is null ? "quicksilver" : $"quicksilver.{Key}";
        NodeRegistration registration = _registration;
        Services.AddHealthChecks();
        Services.Configure<HealthCheckServiceOptions>(checks => checks.Registrations.Add(new HealthCheckRegistration(
            name, provider => registration.HealthOf(provider, options), HealthStatus.Unhealthy, ["ready"])));
        return this;
    }

    private static IQuickSilverGroup Group(IQuickSilverNode node, string name) => node.GetGroup(name);

    private static IQuickSilverPublisher Publisher(IQuickSilverNode node, string name) => node.GetPublisher(name);

    // The names of groups are keys of the node without a key alone.
    private void AddKeyed<TService>(string name, Func<IQuickSilverNode, string, TService> get)
        where TService : class
    {
        if (Key is not null) return;
        Services.TryAddKeyedSingleton(
            name, (provider, key) => get(provider.GetRequiredService<IQuickSilverNode>(), (string)key!));
    }
}

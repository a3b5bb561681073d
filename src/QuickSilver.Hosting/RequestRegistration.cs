using Microsoft.Extensions.DependencyInjection;
using QuickSilver.Typed;

namespace QuickSilver.Hosting;

/// <summary>A request group that the application has registered.</summary>
/// <param name="name">Name of the group.</param>
internal abstract class RequestRegistration(string name)
{
    /// <summary>Name of the group.</summary>
    public string Name { get; } = name;

    /// <summary>The classes that answer, by the application's calls; one is right.</summary>
    public List<Type> Responders { get; } = [];

    /// <summary>Returns the mistakes, each with the end of its path.</summary>
    /// <param name="container">Answers what is registered; null: that is not checked.</param>
    public abstract IEnumerable<string> Findings(IServiceProviderIsService? container);

    /// <summary>Creates the group without a handle.</summary>
    public abstract HostedRequests Create();
}

/// <inheritdoc/>
/// <param name="name">Name of the group.</param>
/// <param name="requests">Serializes requests.</param>
/// <param name="replies">Serializes replies.</param>
/// <param name="options">Settings of the group.</param>
internal sealed class RequestRegistration<TRequest, TReply>(
    string name, IPayloadSerializer<TRequest> requests, IPayloadSerializer<TReply> replies,
    RequestGroupOptions options) : RequestRegistration(name)
{
    /// <summary>Serializes requests.</summary>
    public IPayloadSerializer<TRequest> Requests => requests;

    /// <summary>Serializes replies.</summary>
    public IPayloadSerializer<TReply> Replies => replies;

    /// <summary>Settings of the group.</summary>
    public RequestGroupOptions Options => options;

    /// <inheritdoc/>
    public override HostedRequests Create() => new HostedRequests<TRequest, TReply>(this);

    /// <inheritdoc/>
    public override IEnumerable<string> Findings(IServiceProviderIsService? container)
    {
        if (options.Timeout <= TimeSpan.Zero || options.Timeout > RequestGroupOptions.LongestTimeout)
            yield return $".Timeout: {options.Timeout} is not above zero and at most 12 hours";
        if (options.MaxConcurrency < 1) yield return $".MaxConcurrency: {options.MaxConcurrency} is not 1 or more";
        if (Responders.Count > 1)
            yield return $": has several responders: {string.Join(", ", Responders.Select(static one => one.Name))}";
        foreach (Type responder in Responders)
        {
            if (!typeof(IResponder<TRequest, TReply>).IsAssignableFrom(responder))
            {
                yield return $".Responder[{responder.Name}]: does not implement "
                    + $"{nameof(IResponder<,>)}<{typeof(TRequest).Name}, {typeof(TReply).Name}>";
            }
            if (container?.IsService(responder) == false)
                yield return $".Responder[{responder.Name}]: is not registered: call services.AddSingleton for it";
        }
    }
}

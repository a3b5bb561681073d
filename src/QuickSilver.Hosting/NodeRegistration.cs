using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Options;

namespace QuickSilver.Hosting;

/// <summary>What the application has registered for one node. Written before the host is built, read after.</summary>
internal sealed class NodeRegistration(string? key)
{
    private readonly Dictionary<string, GroupRegistration> _groups = new(StringComparer.Ordinal);
    private readonly List<string> _conflicts = [];

    /// <summary>The key of the node's services; null without one.</summary>
    public string? Key { get; } = key;

    /// <summary>Name of the node's <see cref="QuickSilverOptions"/> among the options of the host.</summary>
    public string OptionsName => Key ?? Options.DefaultName;

    /// <summary>The section that the application gave; null: the one by its usual name, if it exists.</summary>
    public IConfigurationSection? Section { get; set; }

    /// <summary>What sets options in code.</summary>
    public List<Action<QuickSilverOptions>> Configurations { get; } = [];

    /// <summary>The groups, in the order of registration.</summary>
    public IReadOnlyCollection<GroupRegistration> Groups => _groups.Values;

    /// <summary>The handlers, in the order of registration.</summary>
    public List<HandlerRegistration> Handlers { get; } = [];

    /// <summary>The request groups, in the order of registration.</summary>
    public List<RequestRegistration> Requests { get; } = [];

    /// <summary>What answers requests, in the order of registration.</summary>
    public List<(string Group, Type Type)> Responders { get; } = [];

    /// <summary>Gives each request group its responders.</summary>
    public IEnumerable<RequestRegistration> RequestsWithResponders()
    {
        foreach (RequestRegistration requests in Requests)
        {
            requests.Responders.Clear();
            requests.Responders.AddRange(
                Responders.Where(one => one.Group == requests.Name).Select(static one => one.Type));
        }
        return Requests;
    }

    /// <summary>Takes the settings of the groups from the node's section.</summary>
    /// <returns>The mistakes, each with its path.</returns>
    public IReadOnlyList<string> Bind(IConfigurationSection groups)
    {
        var findings = new List<string>();
        if (SectionBinder.TextInPlaceOfKeys(groups) is { } text) findings.Add($"{groups.Key}: {text}");
        foreach (IConfigurationSection section in groups.GetChildren())
        {
            if (Requests.Any(requests => requests.Name == section.Key))
            {
                findings.Add(
                    $"Groups[{section.Key}]: is a request group, whose options are set in code: "
                    + $"AddRequestGroup(\"{section.Key}\", ...)");
                continue;
            }
            if (!_groups.TryGetValue(section.Key, out GroupRegistration? group))
            {
                findings.Add(
                    $"Groups[{section.Key}]: the group is not registered at this node: "
                    + $"call AddGroup(\"{section.Key}\")");
                continue;
            }
            if (SectionBinder.TextInPlaceOfKeys(section) is { } ofGroup)
                findings.Add($"Groups[{section.Key}]: {ofGroup}");
            findings.AddRange(group.Bind(section).Select(finding => $"Groups[{section.Key}].{finding}"));
        }
        return findings;
    }

    /// <summary>Adds a group.</summary>
    /// <returns>False if its name is registered already; other options are then a finding.</returns>
    public bool Add(GroupRegistration group)
    {
        if (_groups.TryAdd(group.Name, group)) return true;
        string[] differences = [.. _groups[group.Name].DifferencesTo(group)];
        if (differences.Length > 0)
            _conflicts.Add(
                $"Groups[{group.Name}]: is registered twice with different options: "
                + string.Join(", ", differences));
        return false;
    }

    /// <summary>The handlers of a group.</summary>
    public IEnumerable<HandlerRegistration> HandlersOf(string group) =>
        Handlers.Where(handler => handler.Group == group);

    /// <summary>Returns the mistakes in groups and handlers, each with its path.</summary>
    /// <param name="container">Answers what is registered; null: that is not checked.</param>
    public IEnumerable<string> Findings(IServiceProviderIsService? container)
    {
        foreach (string conflict in _conflicts) yield return conflict;
        foreach (GroupRegistration group in _groups.Values)
        {
            foreach (string finding in group.Findings()) yield return $"Groups[{group.Name}]{finding}";
        }
        foreach (RequestRegistration requests in RequestsWithResponders())
        {
            if (_groups.ContainsKey(requests.Name) || Requests.Count(other => other.Name == requests.Name) > 1)
                yield return $"RequestGroups[{requests.Name}]: the name is registered twice";
            foreach (string finding in requests.Findings(container))
                yield return $"RequestGroups[{requests.Name}]{finding}";
        }
        foreach ((string group, Type type) in Responders.Where(one => Requests.All(known => known.Name != one.Group)))
        {
            yield return $"RequestGroups[{group}].Responder[{type.Name}]: the group is not registered at this node: "
                + $"call AddRequestGroup(\"{group}\", ...)";
        }
        foreach (HandlerRegistration handler in Handlers)
        {
            _groups.TryGetValue(handler.Group, out GroupRegistration? group);
            foreach (string finding in handler.Findings(group, container))
                yield return $"Groups[{handler.Group}].Handlers[{handler.Type.Name}]: {finding}";
        }
    }

    /// <summary>The health check of this node.</summary>
    public IHealthCheck HealthOf(IServiceProvider services, QuickSilverHealthOptions options)
    {
        HostedNode node = Key is null
            ? services.GetRequiredService<HostedNode>()
            : services.GetRequiredKeyedService<HostedNode>(Key);
        return new QuickSilverHealthCheck(node, options);
    }
}
